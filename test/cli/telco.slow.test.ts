import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withoutProbabilities } from '../support/appended.ts';
import { root } from '../support/root.ts';
import { exits, rowcast } from '../support/rowcast.ts';

const telco = join(root, 'test/data/telco-customer-churn.csv');

describe('real customers', () => {
  it('can be used for training and scored: 7,043 rows keep their own columns byte for byte', async t => {
    const folder = await mkdtemp(join(tmpdir(), 'rowcast-telco-'));
    t.after(() => rm(folder, { recursive: true }));
    await exits(
      rowcast(['train', telco, '--predict', 'Churn', '--report', 'telco'], {
        cwd: folder,
      }),
      0,
    );
    await exits(
      rowcast(['score', telco, '--report', 'telco', '-o', 'scored.csv'], { cwd: folder }),
      0,
      /7,043 rows scored/,
    );
    const output = await readFile(join(folder, 'scored.csv'), 'utf8');
    assert.equal(withoutProbabilities(output, 2), await readFile(telco, 'utf8'));
    assert.equal(output.trimEnd().split('\n').length, 7044);
  });
});
