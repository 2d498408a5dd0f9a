import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStore as open, taken, untilTaken } from '../../support/stores/open-store.ts';
import { stores } from '../../support/stores/stores.ts';

const run = { key: 'abc', plan: 'id', folder: '/shared/out.csv.shards', announced: 1 };
const other = { ...run, key: 'def' };

for (const { name, skip, start } of stores)
  describe(`a queue in ${name}`, { skip }, () => {
    it('gives each job to one worker, keeps those that are put back, and forgets the finished ones', async t => {
      const queue = await open(t, await start(t));
      const [one, two] = [await queue.open(run), await queue.open(run)];
      t.after(() => Promise.all([one.close(), two.close()]));
      await one.add([0, 1].map(shard => ({ shard, ended: 0 })));
      await two.add([0, 1].map(shard => ({ shard, ended: 0 })));
      const [first, second] = [await taken(one), await taken(two)];
      assert.deepEqual([first.shard, second.shard], [0, 1]);
      assert.equal(await two.take(), undefined);
      assert.equal(await one.count(), 2);
      await first.finish();
      await second.putBack(0);
      assert.equal(await two.count(), 1);
      const again = await taken(one);
      assert.equal(again.shard, 1);
      await again.putBack(300);
      const late = await untilTaken(two);
      assert.equal(late.shard, 1);
      await late.finish();
      assert.equal(await one.count(), 0);
    });

    it('lists runs until they are withdrawn, and may then be used for the same run again', async t => {
      const queue = await open(t, await start(t));
      await queue.announce(run);
      await queue.announce(other);
      await queue.announce({ ...run, announced: 2 });
      assert.deepEqual(await queue.runs(), [{ ...run, announced: 2 }, other]);
      const jobs = await queue.open(run);
      t.after(() => jobs.close());
      await jobs.add([
        { shard: 7, ended: 0 },
        { shard: 8, ended: 0 },
      ]);
      const held = await taken(jobs);
      await queue.withdraw(run);
      assert.deepEqual(await queue.runs(), [other]);
      assert.equal(await jobs.count(), 0);
      await held.finish();
      await queue.announce(run);
      await jobs.add([{ shard: 7, ended: 0 }]);
      assert.equal((await taken(jobs)).shard, 7);
    });
  });
