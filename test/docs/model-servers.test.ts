import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newFolder } from '../support/folder.ts';
import { rowcast } from '../support/in-process.ts';
import { root } from '../support/root.ts';

const page = readFileSync(join(root, 'docs/model-servers.md'), 'utf8');
const sections = [...page.matchAll(/^### (.+)\n+```yaml\n([\s\S]*?)```/gm)];

describe('the page about model servers', () => {
  it('has a definition for each server of its table', () => {
    assert.ok(sections.length >= 9, sections.map(([, heading]) => heading).join());
  });

  for (const [, heading = '', definition = ''] of sections)
    it(`has a definition that is valid for ${heading}`, async t => {
      const folder = await newFolder(t);
      const keys = { ROWCAST_MODELS_KEY: 'k', ROWCAST_DATAROBOT_TOKEN: 'k', ROWCAST_DATAROBOT_KEY: 'k' };
      const files = '\nscore:\n  input: customers.csv\n  output: scored.csv\n';
      await writeFile(join(folder, 'score.yaml'), definition.replace('\nscore:\n', files));
      await writeFile(join(folder, 'customers.csv'), 'customer,tenure\nC-1,3\n');
      const { code, stderr, stdout } = await rowcast(['check', 'score.yaml', '--trust-definition'], {
        cwd: folder,
        env: keys,
      });
      assert.equal(code, 0, stderr + stdout);
    });
});
