import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
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

  it('installs nothing that only a queue needs, and runs no script of another package', async () => {
    const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
    const packages: [string, { dev?: boolean; hasInstallScript?: boolean }][] = Object.entries(lock.packages);
    const installed = packages.filter(([path, { dev }]) => path !== '' && !dev);
    assert.ok(installed.length > 50);
    const ofQueue = /\/(bullmq|ioredis|pg|msgpackr.*)$/;
    assert.deepEqual(
      installed.filter(([path, { hasInstallScript }]) => ofQueue.test(path) || hasInstallScript),
      [],
    );
    const { peerDependencies, peerDependenciesMeta } = lock.packages[''];
    assert.deepEqual(Object.keys(peerDependencies), ['bullmq', 'ioredis', 'pg']);
    for (const name of Object.keys(peerDependencies)) assert.equal(peerDependenciesMeta[name].optional, true);
  });

  it('exports the same names from the packed files as from the sources', async () => {
    const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const packed = await import(join(root, exports['.'].default));
    const source = await import('../src/index.ts');
    assert.deepEqual(Object.keys(packed), Object.keys(source));
  });
});
