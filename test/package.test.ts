import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';
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
    // Overrides apply only here, not where the package is installed.
    assert.equal(lock.packages[''].overrides, undefined);
    const { overrides } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    assert.equal(overrides, undefined);
  });

  it('contains only what is needed at run time', async () => {
    const files = await packedFiles();
    const isNeeded =
      /^(dist\/(library|src\/bundle)\/.*|src\/web\/assets\/(style\/)?[\w-]+\.(css|js|svg)|fixtures\/telecom-history\.csv|man\/rowcast\.1|pipelines\/definition\.schema\.json|[A-Z]+(\.md)?|package\.json)$/;
    assert.deepEqual(
      files.filter(file => !isNeeded.test(file) || /\.map$|\/cli\/|\.test\./.test(file)),
      [],
    );
    const { bin, exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const entries = [bin.rowcast, exports['.'].default, exports['.'].types].map((path: string) =>
      normalize(path),
    );
    const threads = ['dist/src/bundle/scoring-worker.js', 'dist/library/training/training-worker.js'];
    for (const file of [...entries, ...threads, 'dist/src/bundle/LICENSES.txt', 'man/rowcast.1'])
      assert.ok(files.includes(file), file);
  });

  it('exports the same names from the packed files as from the sources', async () => {
    const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const packed = await import(join(root, exports['.'].default));
    const source = await import('../src/index.ts');
    assert.deepEqual(Object.keys(packed), Object.keys(source));
  });
});

async function packedFiles(): Promise<string[]> {
  const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: root });
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
  return files.map(({ path }) => path);
}
