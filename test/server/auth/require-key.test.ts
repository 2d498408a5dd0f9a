import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { keysFolder, scopes } from '../../../src/server/auth/key-file.ts';
import { addKey, lastUseOf, listKeys, type NewKey, revokeKey } from '../../../src/server/auth/key-store.ts';
import { WrongKeys } from '../../../src/server/auth/require-key.ts';
import { makeFifo } from '../../support/fifo.ts';
import { newFolder } from '../../support/folder.ts';
import { get, post, problemOf, type Target } from '../../support/service/client.ts';
import { ownTrainedHome, persona, serving } from '../../support/service/serving.ts';
import { exchange, headOf } from '../../support/service/socket.ts';
import { until } from '../../support/until.ts';

/** A service over a data directory of its own, whose stored keys are accepted too, and how keys are added. */
async function keyed(t: TestContext) {
  const home = await ownTrainedHome(t);
  const own = await serving(t, { home, storedKeys: true });
  const add = async (name: string, grants: Partial<NewKey> = {}): Promise<Target> => ({
    url: own.url,
    key: await addKey(home, name, { reports: 'all', ...grants }),
  });
  return { home, own, add };
}

const REPORT = '/user/report/two';
const statusOf = async (target: Target): Promise<number> => (await get(target, REPORT)).status;

test('a running service accepts a key as soon as it is created and rejects it as soon as it is deleted', async t => {
  const { home, add } = await keyed(t);
  for (let round = 0; round < 5; round++) {
    const target = await add('come-and-go');
    // A file system with coarse timestamps: both changes have the same one.
    const step = new Date();
    await utimes(keysFolder(home), step, step);
    assert.equal(await statusOf(target), 200);
    await revokeKey(home, 'come-and-go');
    await utimes(keysFolder(home), step, step);
    assert.equal(await statusOf(target), 401);
  }
});

test('grants edited in a key file take effect within about a second', async t => {
  const { home, add } = await keyed(t);
  const target = await add('edited', { reports: ['two'] });
  assert.equal(await statusOf(target), 200);
  // Old enough that a change of its folder does not make it be read again.
  const long = new Date('2020-01-01');
  await utimes(keysFolder(home), long, long);
  assert.equal(await statusOf(target), 200);
  const file = join(keysFolder(home), 'edited.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"two"', '"one"'));
  await until(async () => (await statusOf(target)) === 404);
});

/** Requests to all endpoints about a report. */
const calls = (target: Target, id = 'two'): Promise<Response[]> =>
  Promise.all([
    post(target, '/user/persona', { id, ...persona }),
    post(target, '/user/batch-persona', { id, personas: [persona] }),
    get(target, `/user/report/${id}`),
    get(target, `/user/testing-results/${id}`),
  ]);

test('a key is valid only for the endpoints of its scopes; a key from before scopes existed is valid for all', async t => {
  const { home, add } = await keyed(t);
  const statuses = async (target: Target) => (await calls(target)).map(({ status }) => status);
  const usual = await add('usual');
  assert.deepEqual(await statuses(usual), [200, 200, 200, 403]);
  assert.equal(await problemOf(await get(usual, '/user/testing-results/two')), '403 missing_scope');
  assert.deepEqual(await statuses(await add('rows', { scopes: ['testing-results'] })), [403, 403, 403, 200]);
  const file = join(keysFolder(home), 'usual.json');
  const whole = JSON.parse(await readFile(file, 'utf8'));
  await revokeKey(home, 'usual');
  await writeFile(file, JSON.stringify({ ...whole, format: 2 }));
  assert.deepEqual(await statuses(usual), [401, 401, 401, 401]);
});

test('an expired key is rejected', async t => {
  const { add } = await keyed(t);
  const past = await add('past', { expires: new Date(Date.now() - 1) });
  assert.equal(await problemOf(await get(past, REPORT)), '401 unauthorized');
  assert.equal(await statusOf(await add('future', { expires: new Date(Date.now() + 3_600_000) })), 200);
});

test('the time of a key’s last use is stored next to it and deleted with it', async t => {
  const { home, add } = await keyed(t);
  const target = await add('noted');
  const [stored] = await listKeys(home);
  const created = stored?.key?.created ?? '';
  assert.equal(await lastUseOf(home, 'noted', created), undefined);
  assert.equal(await statusOf(target), 200);
  await until(async () => (await lastUseOf(home, 'noted', created)) !== undefined);
  await revokeKey(home, 'noted');
  assert.equal(await lastUseOf(home, 'noted', ''), undefined);
});

test('a request with two Authorization or two Host headers is rejected', async t => {
  const { url, key } = await serving(t);
  for (const second of ['authorization: ApiKey other', `authorization: ApiKey ${key}`, 'host: localhost']) {
    const request = headOf(`GET ${REPORT}`, { key }, second, 'connection: close');
    assert.match(await exchange(url, request), /^HTTP\/1\.1 400 [\s\S]*"code":"malformed"/, second);
  }
});

test('an address that sends many wrong keys is rate limited; a valid key from there is accepted, also its first time', async t => {
  const { own, add } = await keyed(t);
  const valid = await add('valid');
  const statuses: number[] = [];
  for (let i = 0; i < 30; i++) statuses.push(await statusOf({ ...own, key: `wrong-${i}` }));
  assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429]);
  for (const target of [valid, own, valid]) assert.equal(await statusOf(target), 200);
  assert.equal(await statusOf({ ...own, key: 'wrong-again' }), 429);
});

test('a request is told to try again while the keys or the reports cannot be read; the key of the service needs no keys folder', async t => {
  const { home, own, add } = await keyed(t);
  const stored = await add('stored');
  const status = async (target: Target) => problemOf(await get(target, '/user/report/none'));
  assert.equal(await status(stored), '404 no_such_report');
  for (const folder of ['keys', 'reports']) {
    // The service may be writing there when a key was last used, so the folder is moved at once.
    await rename(join(home, folder), join(home, 'kept'));
    // Not even root can read it.
    await symlink(folder, join(home, folder));
    assert.equal(await status(stored), '503 home_unavailable', folder);
    assert.equal(await status(own), folder === 'keys' ? '404 no_such_report' : '503 home_unavailable');
    await rm(join(home, folder));
    await rename(join(home, 'kept'), join(home, folder));
  }
});

test('a report that a key may not use gets the same 404 as a missing report', async t => {
  const { add } = await keyed(t);
  const target = await add('limited', { reports: ['two', 'three'], scopes });
  for (const { status } of await calls(target)) assert.equal(status, 200);
  const words = async (id: string) =>
    Promise.all((await calls(target, id)).map(async answer => (await answer.text()).replaceAll(id, 'X')));
  const forbidden = await words('one');
  // Granted to the key, but missing.
  assert.deepEqual(forbidden, await words('three'));
  assert.match(forbidden[0] ?? '', /"code":"no_such_report"/);
});

test('the key from the environment and stored keys are both accepted; stored keys only if enabled', async t => {
  const { home, own, add } = await keyed(t);
  const stored = await add('side');
  for (const target of [own, stored]) assert.equal(await statusOf(target), 200);
  const { url } = await serving(t, { home });
  assert.equal(await statusOf({ ...stored, url }), 401);
});

test('a service without any key rejects every request', async t => {
  const { url } = await serving(t, {
    key: undefined,
    storedKeys: true,
    home: join(await newFolder(t), 'none'),
  });
  for (const key of ['', 'undefined', 'null', 'key-of-a-test'])
    assert.equal(await problemOf(await get({ url, key }, REPORT)), '401 unauthorized');
});

test('a damaged key, even a FIFO, is rejected and does not affect other keys', async t => {
  const { home, add } = await keyed(t);
  const target = await add('sound');
  await writeFile(join(keysFolder(home), 'broken.json'), '{');
  await mkdir(join(keysFolder(home), 'folder.json'));
  await makeFifo(join(keysFolder(home), 'fifo.json'));
  assert.equal(await statusOf(target), 200);
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
