import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { openStore as open, taken, untilTaken } from '../support/stores/open-store.ts';
import { stores } from '../support/stores/stores.ts';

const run = { key: 'abc', plan: 'id', folder: '/shared/out.csv.shards', announced: 1 };

for (const { name, skip, start } of stores)
  describe(`a queue in ${name}`, { skip }, () => {
    it('gives out the job of a worker that died, and that of one that lives to nobody', async t => {
      const url = await start(t);
      const [dead, alive] = [await open(t, url), await open(t, url)];
      const jobs = await dead.open(run);
      await jobs.add([
        { shard: 0, ended: 0 },
        { shard: 1, ended: 0 },
      ]);
      const own = await alive.open(run);
      t.after(() => own.close());
      assert.equal((await taken(jobs)).shard, 0);
      const held = await taken(own);
      await jobs.close();
      await dead.close(); // its renewals fail from now on
      assert.equal((await untilTaken(own)).shard, 0);
      await delay(1_000);
      assert.equal(await own.take(), undefined);
      await held.finish();
    });
  });
