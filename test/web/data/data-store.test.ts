import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { DataStore } from '../../../src/web/data/data-store.ts';
import { changesIn, choicesOf, noSettings } from '../../../src/web/data/settings.ts';
import { Incoming } from '../../../src/web/data/upload/incoming.ts';
import { receiveUpload } from '../../../src/web/data/upload/receive-upload.ts';
import { OWNER } from '../../../src/web/session/sessions.ts';
import { TrainingStore } from '../../../src/web/training-store.ts';
import { newFolder } from '../../support/folder.ts';
import { slow } from '../../support/slow.ts';
import { stateOf } from '../../support/web/started-training.ts';
import { stored } from '../../support/web/uploaded.ts';

const text = 'a,b\n1,2\n3,4\n';
const add = (store: DataStore, by: string = OWNER): Promise<string> => stored(store, text, { by });

/** Adds a file as an upload, which a thread checks. */
const receive = (store: DataStore, body: Readable, size?: number) =>
  receiveUpload(store, {
    body,
    name: 'a.csv',
    by: OWNER,
    // A client that stays until its upload has ended.
    client: { gone: new AbortController().signal, waits: work => work },
    limits: { recordBytes: 1 << 20, columns: 100, groupBytes: 1 << 28 },
    size,
  });

async function openStore(t: TestContext, bytes = 1e6): Promise<{ home: string; store: DataStore }> {
  const home = await newFolder(t);
  return { home, store: await DataStore.open(home, bytes) };
}

const listed = async (store: DataStore): Promise<string[]> => (await store.list()).map(({ id }) => id);

describe('the store of data', () => {
  it('lists data, the newest first, and deletes it', async t => {
    const { home, store } = await openStore(t);
    assert.deepEqual(await store.list(), []);
    const first = await add(store);
    const second = await add(store);
    assert.deepEqual(await listed(store), [second, first]);
    await store.delete(first);
    await assert.rejects(store.meta(first), { code: 'no_such_data' });
    await assert.rejects(store.delete(first), { code: 'no_such_data' });
    await store.delete(second);
    assert.deepEqual(await readdir(join(home, 'data')), []);
    assert.equal(store.quota.used, 0);
  });

  slow('lists more data than a process may have open files', async t => {
    const home = await newFolder(t);
    const store = await DataStore.open(home, 1e6);
    const { id, ...meta } = await store.meta(await add(store));
    for (let i = 0; i < 300; i++) {
      const other = `${i}`.padStart(16, '0');
      await mkdir(join(home, 'data', other));
      await writeFile(join(home, 'data', other, 'meta.json'), JSON.stringify({ id: other, ...meta }));
    }
    const file = JSON.stringify(new URL('../../../src/web/data/data-store.js', import.meta.url));
    const list = `import { DataStore } from ${file};
      const store = await DataStore.open(process.argv[1], 1e6);
      console.log((await store.list()).length);`;
    const node = [process.execPath, '--input-type=module', '-e', list, home];
    const { stdout, stderr } = spawnSync('bash', ['-c', 'ulimit -n 200 && "$@"', 'bash', ...node]);
    assert.equal(String(stdout), '301\n', String(stderr));
  });

  it('does not delete data that a training of another service reads', async t => {
    const { home, store } = await openStore(t);
    const id = await add(store);
    const trainings = new TrainingStore(home);
    const training = stateOf({ data: { id, name: 'a.csv' } });
    const release = await trainings.lock(training.id);
    await trainings.write(training);
    await assert.rejects(store.delete(id), { code: 'data_in_use' });
    assert.equal((await store.meta(id)).id, id);
    await release();
    await store.delete(id);
  });

  it('takes no id that is not one of its own', async t => {
    const { store } = await openStore(t);
    const others = ['', '..', '../keys', '%2e%2e', '.+upload.0123456789abcdef'];
    for (const id of [...others, 'A'.repeat(16), '0'.repeat(17)]) {
      await assert.rejects(store.meta(id), { code: 'no_such_data' });
      await assert.rejects(store.profile(id), { code: 'no_such_data' });
      await assert.rejects(store.delete(id), { code: 'no_such_data' });
    }
  });

  it('shows damaged data as damaged, and can delete it', async t => {
    const { home, store } = await openStore(t);
    const id = await add(store);
    for (const damage of ['', '{', '{"id":"x"}', `{"id":"${'0'.repeat(16)}"}`]) {
      await writeFile(join(home, 'data', id, 'meta.json'), damage);
      assert.deepEqual(await store.list(), [{ id, meta: undefined }]);
      await assert.rejects(store.meta(id), { code: 'damaged_data' });
    }
    await store.delete(id);
    assert.deepEqual(await store.list(), []);
  });

  it('reads a profile once, until its file changes', async t => {
    const { home, store } = await openStore(t);
    const id = await add(store);
    const profile = await store.profile(id);
    assert.equal(await store.profile(id), profile);
    const file = join(home, 'data', id, 'profile.json');
    await writeFile(file, JSON.stringify({ ...profile, notes: ['changed'] }));
    assert.deepEqual((await store.profile(id)).notes, ['changed']);
    await writeFile(file, '{');
    await assert.rejects(store.profile(id), { code: 'damaged_data' });
    await store.delete(id);
    await assert.rejects(store.profile(id), { code: 'no_such_data' });
  });

  it('does not delete data that a training reads', async t => {
    const { store } = await openStore(t);
    const id = await add(store);
    const [release, other] = [store.hold(id), store.hold(id)];
    release();
    release();
    await assert.rejects(store.delete(id), { code: 'data_in_use' });
    other();
    await store.delete(id);
  });

  it('removes what a killed process left, but not the uploads of a living one', async t => {
    const { home, store } = await openStore(t);
    const kept = await add(store);
    const dead = join(home, 'data', '.+upload.0123456789abcdef');
    await mkdir(dead);
    await writeFile(join(dead, 'data.csv'), text);
    const holder = { pid: 2 ** 22 + 1, started: '1', realm: '' };
    const living = await Incoming.create(home, 'data.csv');
    const own = JSON.parse(await readFile(join(home, 'data', `.+upload.${living.id}`, 'holder'), 'utf8'));
    await writeFile(join(dead, 'holder'), JSON.stringify({ ...own, ...holder, realm: own.realm }));
    await mkdir(join(home, 'data', '.+deleted.0123456789abcdef'));
    let left = 0;
    const reopened = await DataStore.open(home, 1e6, uploads => {
      left = uploads;
    });
    assert.equal(left, 1);
    assert.deepEqual((await readdir(join(home, 'data'))).sort(), [`.+upload.${living.id}`, kept].sort());
    assert.deepEqual(await listed(reopened), [kept]);
    assert.equal(reopened.quota.used, store.quota.used);
    assert.equal(reopened.quota.freeFor(OWNER), store.quota.freeFor(OWNER));
    await living.discard();
  });

  slow('keeps every one of simultaneous changes of settings', async t => {
    const { store } = await openStore(t);
    const id = await add(store);
    const names = Array.from({ length: 20 }, (_, i) => `c${i}`);
    await Promise.all(
      names.map(name => store.changeSettings(id, changesIn({ column: '0', 'type-0': 'date' }, [name]))),
    );
    const { settings } = await store.meta(id);
    assert.deepEqual(settings.excluded, names);
    assert.deepEqual(choicesOf(settings).types, Object.fromEntries(names.map(name => [name, 'date'])));
  });
});

describe('an upload that cannot be read or stored', () => {
  it('fails, even if its stream fails before anything reads it, and leaves nothing', async t => {
    const { home, store } = await openStore(t);
    await assert.rejects(receive(store, createReadStream(join(home, 'no such sample.csv'))), {
      code: 'ENOENT',
    });
    const left = await readdir(join(home, 'data')).catch(() => []);
    assert.deepEqual([left, store.quota.used], [[], 0]);
  });

  it('closes its stream', async t => {
    const { home, store } = await openStore(t);
    await writeFile(join(home, 'data'), 'a file where the folder of data should be');
    const body = Readable.from([Buffer.from(text)]);
    await assert.rejects(receive(store, body));
    assert.ok(body.destroyed);
  });
});

describe('the settings of columns', () => {
  it('are options of the training, for columns of any name', () => {
    const names = ['__proto__', 'x'];
    const form = { column: ['0', '1'], 'type-0': 'categorical', 'use-0': '1', 'type-1': 'auto' };
    const chosen = changesIn(form, names)(noSettings);
    const { types = {}, excludeFeatures } = choicesOf(chosen);
    assert.deepEqual(Object.entries(types), [['__proto__', 'categorical']]);
    assert.deepEqual(excludeFeatures, ['x']);
    const kept = changesIn({ column: '1', 'type-1': 'auto', 'use-1': '1' }, names)(chosen);
    assert.deepEqual(kept, { types: [['__proto__', 'categorical']], excluded: [] });
    assert.deepEqual(changesIn({ column: '0', 'type-0': 'auto', 'use-0': '1' }, names)(kept), noSettings);
  });
});

describe('the quota', () => {
  it('is reserved before the bytes are written, so that parallel uploads cannot exceed it', async t => {
    const { store } = await openStore(t, 10_000);
    const slow = () => Readable.from(pieces(() => assert.ok(store.quota.used <= store.quota.total)));
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => receive(store, slow())));
    const stored = results.filter(({ status }) => status === 'fulfilled').length;
    assert.ok(stored < 6);
    for (const result of results)
      if (result.status === 'rejected') assert.equal(result.reason.code, 'quota_exceeded');
    const list = await store.list();
    assert.equal(list.length, stored);
    for (const { id } of list) await store.delete(id);
    assert.equal(store.quota.used, 0);
    await receive(store, slow());
  });

  it('is the same after a restart, for each key', async t => {
    const { home, store } = await openStore(t);
    for (const by of ['ann', 'bob', 'ann']) await add(store, by);
    const reopened = await DataStore.open(home, 1e6);
    for (const by of ['ann', 'bob', 'carl', OWNER])
      assert.equal(reopened.quota.freeFor(by), store.quota.freeFor(by), by);
  });

  it('is not reserved by a length alone: others may use what has not arrived', async t => {
    const { store } = await openStore(t, 10_000);
    const waiting = new Readable({ read: () => {} });
    const announced = receive(store, waiting, 9_000);
    await add(store);
    assert.ok(store.quota.used < 2_000);
    waiting.push(text);
    waiting.push(null);
    await announced;
  });

  it('is released once if data is deleted twice at the same time', async t => {
    const { store } = await openStore(t);
    const id = await add(store);
    const kept = await add(store);
    const results = await Promise.allSettled([store.delete(id), store.delete(id), store.delete(id)]);
    const failures = results.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []));
    assert.deepEqual(failures, ['no_such_data', 'no_such_data']);
    await store.delete(kept);
    assert.equal(store.quota.used, 0);
  });

  it('refuses an upload by its length, before it is sent', async t => {
    const { home, store } = await openStore(t, 10_000);
    const body = new Readable({ read: () => assert.fail('nothing is read') });
    await assert.rejects(receive(store, body, 10_001), { code: 'quota_exceeded' });
    assert.equal(store.quota.used, 0);
    assert.deepEqual(await readdir(join(home, 'data')).catch(() => []), []);
  });
});

async function* pieces(check: () => void): AsyncGenerator<Buffer> {
  yield Buffer.from('a,b\n');
  for (let i = 0; i < 40; i++) {
    await new Promise(resolve => setImmediate(resolve));
    check();
    yield Buffer.from(`${String(i).padEnd(75)},x\n`);
  }
}
