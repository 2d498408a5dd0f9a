import assert from 'node:assert/strict';
import { mkdir, rmdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { addKey, keysFolder, revokeKey } from '../../src/service/keys.ts';
import { ask, get, post, problemOf } from './client.ts';
import { persona, serving, trainedHome } from './serving.ts';

test('a service that runs lets a key in as soon as it is made, and no longer than it is there', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const status = async (key: string) => (await get({ url, key }, '/user/report/two')).status;
  for (let round = 0; round < 5; round++) {
    const key = await addKey(home, 'come-and-go', 'all');
    // A file system with a coarse clock: both changes come within one step of it.
    const step = new Date();
    await utimes(keysFolder(home), step, step);
    assert.equal(await status(key), 200);
    await revokeKey(home, 'come-and-go');
    await utimes(keysFolder(home), step, step);
    assert.equal(await status(key), 401);
  }
});

test('keys that have long been there are not read again for each request', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const key = await addKey(home, 'old', 'all');
  t.after(() => revokeKey(home, 'old'));
  const long = new Date('2020-01-01');
  await utimes(keysFolder(home), long, long);
  assert.equal((await get({ url, key }, '/user/report/two')).status, 200);
  // Written in place, which no command does: the folder stays as it was, so nothing is read.
  await writeFile(join(keysFolder(home), 'old.json'), '');
  assert.equal((await get({ url, key }, '/user/report/two')).status, 200);
  await utimes(keysFolder(home), new Date(), new Date());
  assert.equal((await get({ url, key }, '/user/report/two')).status, 401);
});

test('a key that is good for some reports finds no others, in the words for one that is not there', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const target = { url, key: await addKey(home, 'limited', ['two', 'three']) };
  t.after(() => revokeKey(home, 'limited'));
  const calls = (id: string) => [
    post(target, '/user/persona', { id, ...persona }),
    post(target, '/user/batch-persona', { id, personas: [persona] }),
    get(target, `/user/report/${id}`),
    get(target, `/user/testing-results/${id}`),
  ];
  for (const { status } of await Promise.all(calls('two'))) assert.equal(status, 200);
  const words = async (id: string) =>
    Promise.all(
      (await Promise.all(calls(id))).map(async answer => (await answer.text()).replaceAll(id, 'X')),
    );
  const forbidden = await words('one');
  // Good for the key, and not there.
  assert.deepEqual(forbidden, await words('three'));
  assert.match(forbidden[0] ?? '', /"code":"no_such_report"/);
});

test('the service’s own key and stored ones are good side by side, stored ones only where that is asked', async t => {
  const home = await trainedHome();
  const key = await addKey(home, 'side', 'all');
  t.after(() => revokeKey(home, 'side'));
  const both = await serving(t, { storedKeys: true });
  assert.equal((await get(both, '/user/report/two')).status, 200);
  assert.equal((await get({ url: both.url, key }, '/user/report/two')).status, 200);
  const own = await serving(t);
  assert.equal((await get({ url: own.url, key }, '/user/report/two')).status, 401);
});

test('a service without any key lets nobody in', async t => {
  const { url } = await serving(t, {
    key: undefined,
    storedKeys: true,
    home: join(await trainedHome(), 'none'),
  });
  for (const key of ['', 'undefined', 'null', 'key-of-a-test'])
    assert.equal(await problemOf(await get({ url, key }, '/user/report/two')), '401 unauthorized');
});

test('a damaged key opens nothing and spoils no other', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const key = await addKey(home, 'sound', 'all');
  await writeFile(join(keysFolder(home), 'broken.json'), '{');
  await mkdir(join(keysFolder(home), 'folder.json'));
  t.after(() =>
    Promise.all([
      revokeKey(home, 'sound'),
      revokeKey(home, 'broken'),
      rmdir(join(keysFolder(home), 'folder.json')),
    ]),
  );
  assert.equal((await get({ url, key }, '/user/report/two')).status, 200);
});

test('what tells of the service itself needs no key', async t => {
  const { url } = await serving(t, { metrics: true });
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json'])
    assert.equal((await ask(url + path)).status, 200);
});
