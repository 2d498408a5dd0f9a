import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Readiness } from '../../../src/server/admin/readiness.ts';
import { newFolder } from '../../support/folder.ts';
import { ask, problemOf } from '../../support/service/client.ts';
import { serving } from '../../support/service/serving.ts';

test('the service is not ready while its home is gone, and ready again when it is back', async t => {
  const folder = await newFolder(t);
  const home = join(folder, 'home');
  await mkdir(home);
  const { url } = await serving(t, { home });
  assert.equal((await ask(`${url}/readyz`)).status, 200);
  await rename(home, join(folder, 'elsewhere'));
  while ((await ask(`${url}/readyz`)).status === 200);
  assert.equal(await problemOf(await ask(`${url}/readyz`)), '503 home_unavailable');
  assert.equal((await ask(`${url}/healthz`)).status, 200);
  await rename(join(folder, 'elsewhere'), home);
  while ((await ask(`${url}/readyz`)).status !== 200);
});

test('a file in the place of the home is not a home', async t => {
  const home = join(await newFolder(t), 'home');
  await writeFile(home, '');
  assert.equal((await new Readiness(home).problem())?.code, 'home_unavailable');
  await rm(home);
});

test('a home whose reports or keys cannot be read is not ready', async t => {
  for (const folder of ['reports', 'keys']) {
    const home = await newFolder(t);
    // Not even root can read it.
    await symlink(folder, join(home, folder));
    assert.equal((await new Readiness(home).problem())?.code, 'home_unavailable', folder);
  }
});

test('draining comes before whatever the home is like', async t => {
  const readiness = new Readiness(await newFolder(t));
  assert.equal(await readiness.problem(), undefined);
  readiness.drain();
  assert.equal((await readiness.problem())?.code, 'draining');
});
