import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newTimedId } from '../../src/web/stored-json.ts';
import { TrainingStore } from '../../src/web/training-store.ts';
import { newFolder } from '../support/folder.ts';
import { stateOf } from '../support/web/started-training.ts';

async function storeFor(t: TestContext): Promise<{ home: string; store: TrainingStore }> {
  const home = await newFolder(t);
  const store = new TrainingStore(home);
  await (await store.lock('none'))();
  return { home, store };
}

describe('stored trainings', () => {
  it('are running while a process holds the lock for them, and interrupted after it', async t => {
    const { home, store } = await storeFor(t);
    const running = stateOf();
    const release = await store.lock(running.id);
    await store.write(running);
    const other = new TrainingStore(home);
    assert.equal((await other.read(running.id))?.status, 'running');
    assert.deepEqual(await other.running(), running);
    await release();
    assert.equal((await other.read(running.id))?.status, 'interrupted');
    assert.equal(await other.running(), undefined);
  });

  it('are interrupted even if another training runs', async t => {
    const { store } = await storeFor(t);
    const [killed, running] = [stateOf(), stateOf()];
    await store.write(killed);
    const release = await store.lock(running.id);
    await store.write(running);
    const statuses = (await store.list()).map(({ id, status }) => [id === killed.id, status]);
    assert.deepEqual(
      new Map(statuses as [boolean, string][]),
      new Map([
        [true, 'interrupted'],
        [false, 'running'],
      ]),
    );
    await release();
  });

  it('are locked out by a process that trains', async t => {
    const { store } = await storeFor(t);
    const release = await store.lock(newTimedId());
    await assert.rejects(store.lock(newTimedId()), { code: 'locked' });
    await release();
    await (await store.lock(newTimedId()))();
  });

  it('are listed from the newest, and the oldest are forgotten', async t => {
    const { store } = await storeFor(t);
    const ids: string[] = [];
    for (let i = 0; i < 60; i++) {
      const id = i.toString(16).padStart(20, '0');
      ids.push(id);
      await store.write(stateOf({ id, status: 'finished' }));
    }
    await store.prune();
    assert.deepEqual(
      (await store.list()).map(({ id }) => id),
      ids.reverse().slice(0, 50),
    );
  });

  it('are kept as long as the report that they made exists', async t => {
    const { home, store } = await storeFor(t);
    await mkdir(join(home, 'reports', 'churn'), { recursive: true });
    const made = stateOf({ id: '1'.padStart(20, '0'), status: 'finished' });
    await store.write({ ...made, id: '0'.repeat(20) });
    await store.write(made);
    for (let i = 2; i < 60; i++)
      await store.write(stateOf({ id: i.toString(16).padStart(20, '0'), status: 'cancelled' }));
    await store.prune();
    const kept = await store.list();
    assert.deepEqual([kept.length, kept.at(-1)], [51, made]);
  });

  it('that are damaged, and other files, are left out', async t => {
    const { home, store } = await storeFor(t);
    const whole = stateOf({ status: 'failed', problem: { code: 'one_class', message: 'm', hint: null } });
    await store.write(whole);
    const folder = join(home, 'trainings');
    await writeFile(join(folder, `${'a'.repeat(20)}.json`), '{"format": 1');
    await writeFile(join(folder, `${'b'.repeat(20)}.json`), '{"format": 2}');
    await writeFile(join(folder, 'notes.json'), '{}');
    await mkdir(join(folder, 'c'.repeat(20)));
    assert.deepEqual(await store.list(), [whole]);
    for (const id of ['', '../keys/own', 'a'.repeat(21), '..', `${'a'.repeat(20)}\n`])
      assert.equal(await store.read(id), undefined);
    assert.ok((await readdir(folder)).includes('notes.json'));
  });
});
