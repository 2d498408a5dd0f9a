import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, rmdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { keysFolder, scopes } from '../../../src/server/auth/key-file.ts';
import { addKey, lastUseOf, listKeys, revokeKey } from '../../../src/server/auth/key-store.ts';
import { WrongKeys } from '../../../src/server/auth/require-key.ts';
import { makeFifo } from '../../support/fifo.ts';
import { newFolder } from '../../support/folder.ts';
import { fetchChecked, get, post, problemOf } from '../../support/service/client.ts';
import { persona, serving, trainedHome } from '../../support/service/serving.ts';
import { exchange, headOf } from '../../support/service/socket.ts';

test('a running service accepts a key as soon as it is created and rejects it as soon as it is deleted', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const status = async (key: string) => (await get({ url, key }, '/user/report/two')).status;
  for (let round = 0; round < 5; round++) {
    const key = await addKey(home, 'come-and-go', { reports: 'all' });
    // A file system with coarse timestamps: both changes have the same one.
    const step = new Date();
    await utimes(keysFolder(home), step, step);
    assert.equal(await status(key), 200);
    await revokeKey(home, 'come-and-go');
    await utimes(keysFolder(home), step, step);
    assert.equal(await status(key), 401);
  }
});

test('grants edited in a key file take effect within about a second', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const key = await addKey(home, 'edited', { reports: ['two'] });
  t.after(() => revokeKey(home, 'edited'));
  const status = async () => (await get({ url, key }, '/user/report/two')).status;
  assert.equal(await status(), 200);
  // Old enough that a change of its folder does not make it be read again.
  const long = new Date('2020-01-01');
  await utimes(keysFolder(home), long, long);
  assert.equal(await status(), 200);
  const file = join(keysFolder(home), 'edited.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"two"', '"one"'));
  while ((await status()) !== 404);
});

test('a key is valid only for the endpoints of its scopes; a key from before scopes existed is valid for all', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const statuses = async (key: string) => {
    const target = { url, key };
    const responses = await Promise.all([
      post(target, '/user/persona', { id: 'two', ...persona }),
      post(target, '/user/batch-persona', { id: 'two', personas: [persona] }),
      get(target, '/user/report/two'),
      get(target, '/user/testing-results/two'),
    ]);
    return responses.map(({ status }) => status);
  };
  t.after(() => Promise.all(['usual', 'rows'].map(name => revokeKey(home, name))));
  const usual = await addKey(home, 'usual', { reports: 'all' });
  assert.deepEqual(await statuses(usual), [200, 200, 200, 403]);
  const refused = await get({ url, key: usual }, '/user/testing-results/two');
  assert.equal(await problemOf(refused), '403 missing_scope');
  const rows = await addKey(home, 'rows', { reports: 'all', scopes: ['testing-results'] });
  assert.deepEqual(await statuses(rows), [403, 403, 403, 200]);
  const file = join(keysFolder(home), 'usual.json');
  const whole = JSON.parse(await readFile(file, 'utf8'));
  await revokeKey(home, 'usual');
  await writeFile(file, JSON.stringify({ ...whole, format: 2 }));
  assert.deepEqual(await statuses(usual), [401, 401, 401, 401]);
});

test('an expired key is rejected', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  t.after(() => Promise.all(['past', 'future'].map(name => revokeKey(home, name))));
  const past = await addKey(home, 'past', { reports: 'all', expires: new Date(Date.now() - 1) });
  const future = await addKey(home, 'future', { reports: 'all', expires: new Date(Date.now() + 3_600_000) });
  assert.equal(await problemOf(await get({ url, key: past }, '/user/report/two')), '401 unauthorized');
  assert.equal((await get({ url, key: future }, '/user/report/two')).status, 200);
});

test('the time of a key’s last use is stored next to it and deleted with it', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const key = await addKey(home, 'noted', { reports: 'all' });
  t.after(() => revokeKey(home, 'noted').catch(() => {}));
  const [stored] = (await listKeys(home)).filter(({ name }) => name === 'noted');
  const created = stored?.key?.created ?? '';
  assert.equal(await lastUseOf(home, 'noted', created), undefined);
  assert.equal((await get({ url, key }, '/user/report/two')).status, 200);
  while ((await lastUseOf(home, 'noted', created)) === undefined) await turn();
  await revokeKey(home, 'noted');
  assert.equal(await lastUseOf(home, 'noted', ''), undefined);
});

test('a request with two Authorization or two Host headers is rejected', async t => {
  const { url, key } = await serving(t);
  for (const second of ['authorization: ApiKey other', `authorization: ApiKey ${key}`, 'host: localhost']) {
    const request = headOf('GET /user/report/two', { key }, second, 'connection: close');
    assert.match(await exchange(url, request), /^HTTP\/1\.1 400 [\s\S]*"code":"malformed"/, second);
  }
});

test('an address that sends many wrong keys is rate limited; a valid key from there is accepted, also its first time', async t => {
  const home = await newFolder(t);
  const valid = await addKey(home, 'valid', { reports: 'all' });
  const { url, key } = await serving(t, { home, storedKeys: true });
  const status = async (sent: string) => (await get({ url, key: sent }, '/user/report/none')).status;
  const statuses: number[] = [];
  for (let i = 0; i < 30; i++) statuses.push(await status(`wrong-${i}`));
  assert.equal(statuses[0], 401);
  assert.equal(statuses.at(-1), 429);
  for (const sent of [valid, key, valid]) assert.equal(await status(sent), 404);
  assert.equal(await status('wrong-again'), 429);
});

test('a FIFO among the keys counts as a damaged key', async t => {
  const home = await newFolder(t);
  const key = await addKey(home, 'sound', { reports: 'all' });
  await makeFifo(join(keysFolder(home), 'fifo.json'));
  const { url } = await serving(t, { home, storedKeys: true });
  assert.equal((await get({ url, key }, '/user/report/two')).status, 404);
});

test('a request is told to try again while the keys or the reports cannot be read; the key of the service needs no keys folder', async t => {
  const home = await newFolder(t);
  const { url, key } = await serving(t, { home, storedKeys: true });
  const stored = await addKey(home, 'stored', { reports: 'all' });
  const status = async (sent: string) => problemOf(await get({ url, key: sent }, '/user/report/none'));
  assert.equal(await status(stored), '404 no_such_report');
  for (const folder of ['keys', 'reports']) {
    // The service may be writing there when a key was last used, so the folder is moved at once.
    if (folder === 'keys') await rename(keysFolder(home), join(home, 'kept'));
    else await rm(join(home, folder), { recursive: true, force: true });
    // Not even root can read it.
    await symlink(folder, join(home, folder));
    assert.equal(await status(stored), '503 home_unavailable', folder);
    assert.equal(await status(key), folder === 'keys' ? '404 no_such_report' : '503 home_unavailable');
    await rm(join(home, folder));
    if (folder === 'keys') await rename(join(home, 'kept'), join(home, 'keys'));
  }
});

test('a report that a key may not use gets the same 404 as a missing report', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const target = { url, key: await addKey(home, 'limited', { reports: ['two', 'three'], scopes }) };
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
  // Granted to the key, but missing.
  assert.deepEqual(forbidden, await words('three'));
  assert.match(forbidden[0] ?? '', /"code":"no_such_report"/);
});

test('the key from the environment and stored keys are both accepted; stored keys only if enabled', async t => {
  const home = await trainedHome();
  const key = await addKey(home, 'side', { reports: 'all' });
  t.after(() => revokeKey(home, 'side'));
  const both = await serving(t, { storedKeys: true });
  assert.equal((await get(both, '/user/report/two')).status, 200);
  assert.equal((await get({ url: both.url, key }, '/user/report/two')).status, 200);
  const own = await serving(t);
  assert.equal((await get({ url: own.url, key }, '/user/report/two')).status, 401);
});

test('a service without any key rejects every request', async t => {
  const { url } = await serving(t, {
    key: undefined,
    storedKeys: true,
    home: join(await trainedHome(), 'none'),
  });
  for (const key of ['', 'undefined', 'null', 'key-of-a-test'])
    assert.equal(await problemOf(await get({ url, key }, '/user/report/two')), '401 unauthorized');
});

test('a damaged key is rejected and does not affect other keys', async t => {
  const home = await trainedHome();
  const { url } = await serving(t, { storedKeys: true });
  const key = await addKey(home, 'sound', { reports: 'all' });
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

test('health, readiness, version and OpenAPI need no key', async t => {
  const { url } = await serving(t, { metrics: true });
  for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json'])
    assert.equal((await fetchChecked(url + path)).status, 200);
});

const wrong = (keys: WrongKeys, address: string, times: number): number =>
  Array.from({ length: times }, () => keys.failed(address)).filter(seconds => seconds === 0).length;

test('an address may send twenty wrong keys, then one every six seconds; others are not affected', () => {
  let now = 0;
  const keys = new WrongKeys(() => now);
  assert.equal(wrong(keys, '192.0.2.1', 30), 20);
  assert.equal(wrong(keys, '192.0.2.2', 1), 1);
  now += 6_000;
  assert.equal(wrong(keys, '192.0.2.1', 5), 1);
  assert.equal(keys.failed('192.0.2.1'), 6);
});

test('all addresses of one IPv6 network count as one', () => {
  const keys = new WrongKeys(() => 0);
  wrong(keys, '2001:db8:1:2::1', 20);
  assert.ok(keys.failed('2001:db8:1:2:ffff::9') > 0);
  assert.equal(keys.failed('2001:db8:1:3::1'), 0);
});

test('the memory of addresses is bounded', () => {
  const keys = new WrongKeys(() => 0);
  for (let i = 0; i < 30_000; i++) keys.failed(`a${i}`);
  assert.ok(keys.size <= 10_000);
});
