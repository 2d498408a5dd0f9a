import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { heartbeatName, leaseName, openFolder } from '../../../src/shards/folder/names.ts';
import type { ShardHeartbeat } from '../../../src/shards/folder/result-shape.ts';
import { LeaseWatch, ShardTurns } from '../../../src/shards/work/see-attempts.ts';
import type { SharedFolder } from '../../../src/storage/shared-folder.ts';
import { newFolder } from '../../support/folder.ts';

const SHARDS = Array.from({ length: 60 }, (_, shard) => shard);
const HOLDER = { worker: 'w', pid: 1, started: '1', realm: 'another machine', row: 1 };
const BEAT: ShardHeartbeat = { beat: 1, state: 'running', row: 1, read: 0, rejected: 0, error: null };

/** A folder in which another machine scores all shards, and the names of the files that are read. */
async function heldShards(t: TestContext): Promise<{ folder: SharedFolder; reads: string[] }> {
  const folder = openFolder(await newFolder(t));
  await folder.prepare();
  for (const shard of SHARDS) {
    await folder.replace(leaseName(shard, 1), JSON.stringify(HOLDER));
    await folder.replace(heartbeatName(shard, 1), JSON.stringify(BEAT));
  }
  const reads: string[] = [];
  const read = (name: string): Promise<string | undefined> => {
    reads.push(name);
    return folder.read(name);
  };
  return { folder: { ...folder, read }, reads };
}

describe('a worker that watches the leases of others', () => {
  it('sees 25 shards at a time, all of them in turn, and reads each lease once', async t => {
    const { folder, reads } = await heldShards(t);
    const watch = new LeaseWatch(folder);
    for (let look = 0; look < 5; look++) await watch.look(SHARDS);
    const times = (name: string): number => reads.filter(each => each === name).length;
    assert.deepEqual(
      SHARDS.map(shard => times(heartbeatName(shard, 1))),
      SHARDS.map(shard => (shard < 5 ? 3 : 2)),
    );
    assert.ok(SHARDS.every(shard => times(leaseName(shard, 1)) === 1));
  });

  it('knows from then on how long a holder has been silent', async t => {
    const { folder } = await heldShards(t);
    const watch = new LeaseWatch(folder);
    await watch.look([3, 4]);
    await delay(30);
    await folder.replace(heartbeatName(4, 1), JSON.stringify({ ...BEAT, beat: 2 }));
    const names = await folder.list('leases');
    const [silent] = await watch.attemptsOf(3, names);
    const [lively] = await watch.attemptsOf(4, names);
    assert.ok((silent?.silentMs ?? 0) >= 29, `${silent?.silentMs} ms`);
    assert.equal(lively?.silentMs, 0);
  });

  it('waits for the next heartbeat if one is cut off, as after a stalled network', async t => {
    const { folder } = await heldShards(t);
    const watch = new LeaseWatch(folder);
    await watch.look([3]);
    await folder.replace(heartbeatName(3, 1), JSON.stringify(BEAT).slice(0, -1));
    const [attempt] = await watch.attemptsOf(3, await folder.list('leases'));
    assert.deepEqual([attempt?.beat, attempt?.silentMs], [undefined, 0]);
    await folder.replace(heartbeatName(3, 1), JSON.stringify({ ...BEAT, beat: 2 }));
    const [next] = await watch.attemptsOf(3, await folder.list('leases'));
    assert.deepEqual([next?.beat?.beat, next?.silentMs], [2, 0]);
  });

  it('forgets the leases of a run that was discarded and planned again', async t => {
    const { folder } = await heldShards(t);
    const watch = new LeaseWatch(folder);
    await watch.look([3]);
    await folder.remove(leaseName(3, 1));
    await watch.look([3]);
    await folder.create(leaseName(3, 1), JSON.stringify({ ...HOLDER, row: 7 }));
    const [attempt] = await watch.attemptsOf(3, await folder.list('leases'));
    assert.deepEqual({ row: attempt?.row, silentMs: attempt?.silentMs }, { row: 7, silentMs: 0 });
  });
});

describe('turns', () => {
  it('choose all shards one after the other, then the first ones again', () => {
    const turns = new ShardTurns(2);
    const shards = [1, 3, 4, 6, 9];
    assert.deepEqual(
      [turns.next(shards), turns.next(shards), turns.next(shards)],
      [
        [1, 3],
        [4, 6],
        [9, 1],
      ],
    );
  });

  it('go on behind a shard that is there no longer', () => {
    const turns = new ShardTurns(1);
    assert.deepEqual(turns.next([5, 7]), [5]);
    assert.deepEqual(turns.next([4, 7]), [7]);
    assert.deepEqual(turns.next([4]), [4]);
  });

  it('choose each only once, and none if there is none', () => {
    const turns = new ShardTurns(9);
    assert.deepEqual(turns.next([2, 8]), [2, 8]);
    assert.deepEqual(turns.next([2, 8]), [2, 8]);
    assert.deepEqual(turns.next([]), []);
    assert.deepEqual(turns.next([8]), [8]);
  });
});
