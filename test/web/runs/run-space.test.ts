import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Quota } from '../../../src/web/data/quota.ts';
import { newRunId } from '../../../src/web/runs/run-record.ts';
import { RunSpace } from '../../../src/web/runs/run-space.ts';
import { RunStore } from '../../../src/web/runs/run-store.ts';
import { newFolder } from '../../support/folder.ts';

async function open(t: TestContext, total = 100_000) {
  const store = new RunStore(await newFolder(t));
  const quota = new Quota(total);
  return { store, quota, space: await RunSpace.open(store, quota) };
}

/** A run that has left so many bytes. */
async function finished(store: RunStore, bytes: number): Promise<string> {
  const id = newRunId();
  await store.create({
    ...{ format: 1, id, report: 'one', file: 'in.csv', by: 'ann', created_at: new Date().toISOString() },
  });
  const had = await store.size(id);
  await writeFile(`${dirname(store.files(id).output)}/output.csv`, Buffer.alloc(bytes - had));
  return id;
}

describe('the disk space of runs', () => {
  it('is what they have left, once they have ended', async t => {
    const { store, quota, space } = await open(t);
    const id = await finished(store, 5_000);
    space.begin(id);
    space.cover(id, 70_000);
    assert.equal(quota.used, 70_000);
    await space.settle(id);
    assert.equal(quota.used, 5_000);
    assert.equal(new Quota(100).take(101), false);
  });

  it('is released once, however often a run is deleted', async t => {
    const { store, quota, space } = await open(t);
    const [kept, removed] = [await finished(store, 4_000), await finished(store, 6_000)];
    for (const id of [kept, removed]) {
      space.begin(id);
      await space.settle(id);
    }
    for (let deletion = 0; deletion < 3; deletion++) space.release(removed);
    assert.equal(quota.used, 4_000);
  });

  it('is not counted again by a run that goes on while it is deleted', async t => {
    const { store, quota, space } = await open(t);
    const id = await finished(store, 6_000);
    space.begin(id);
    space.cover(id, 3_000);
    space.release(id);
    space.cover(id, 5_000);
    await space.settle(id);
    assert.equal(quota.used, 0);
  });

  it('ends a run that would exceed it', async t => {
    const { space, quota } = await open(t, 1_000);
    const id = newRunId();
    space.begin(id);
    space.cover(id, 900);
    assert.throws(() => space.cover(id, 1_001), { code: 'quota_exceeded' });
    assert.equal(quota.used, 900);
  });
});
