import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import satisfies from 'semver/functions/satisfies.js';
import { root } from './support/root.ts';

describe('the package', () => {
  it('installs on Node 20.19 with --engine-strict: no dependency needs a later version', async () => {
    const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    const packages: [string, { dev?: boolean; engines?: { node?: string } }][] = Object.entries(
      lock.packages,
    );
    const tooNew = packages.filter(
      ([, { dev, engines }]) => !dev && !satisfies('20.19.0', engines?.node ?? '*'),
    );
    assert.deepEqual(tooNew, []);
    // An override holds here only, not where the package is installed.
    assert.equal(lock.packages[''].overrides, undefined);
    const { overrides } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    assert.equal(overrides, undefined);
  });

  it('contains no scored file, even when the demo has just written one', async t => {
    const scored = join(root, 'pipelines/package-test-scored.csv');
    t.after(() => rm(scored));
    await writeFile(scored, 'customer,probability_yes\n');
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
      cwd: root,
    });
    const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
    const data = files.map(({ path }) => path).filter(path => path.endsWith('.csv'));
    assert.deepEqual(data.sort(), ['fixtures/telecom-history.csv', 'fixtures/telecom-personas.csv']);
  });
});
