import assert from 'node:assert/strict';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Readiness } from '../../../src/server/admin/readiness.ts';
import { newFolder } from '../../support/folder.ts';
import { fetchChecked, problemOf } from '../../support/service/client.ts';
import { serving } from '../../support/service/serving.ts';

test('the service is not ready while its data directory is missing, and ready again once it is back', async t => {
  const folder = await newFolder(t);
  const home = join(folder, 'home');
  await mkdir(home);
  const { url } = await serving(t, { home });
  assert.equal((await fetchChecked(`${url}/readyz`)).status, 200);
  await rename(home, join(folder, 'elsewhere'));
  while ((await fetchChecked(`${url}/readyz`)).status === 200);
  assert.equal(await problemOf(await fetchChecked(`${url}/readyz`)), '503 home_unavailable');
  assert.equal((await fetchChecked(`${url}/healthz`)).status, 200);
  await rename(join(folder, 'elsewhere'), home);
  while ((await fetchChecked(`${url}/readyz`)).status !== 200);
});

test('a file in place of the data directory fails the readiness check', async t => {
  const home = join(await newFolder(t), 'home');
  await writeFile(home, '');
  assert.equal((await new Readiness(home).problem())?.code, 'home_unavailable');
  await rm(home);
});

test('a data directory whose reports or keys are unreadable fails the readiness check', async t => {
  for (const folder of ['reports', 'keys']) {
    const home = await newFolder(t);
    // Not even root can read it.
    await symlink(folder, join(home, folder));
    assert.equal((await new Readiness(home).problem())?.code, 'home_unavailable', folder);
  }
});

test('draining takes precedence over the state of the data directory', async t => {
  const readiness = new Readiness(await newFolder(t));
  assert.equal(await readiness.problem(), undefined);
  readiness.drain();
  assert.equal((await readiness.problem())?.code, 'draining');
});
