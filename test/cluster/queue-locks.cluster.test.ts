import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { hardCsv } from '../support/shards/hard-csv.ts';
import { openStore as open, taken, untilTaken } from '../support/stores/open-store.ts';
import { compareOne, queueRun, until } from '../support/stores/queue-run.ts';
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

    it('hands on the shard of a worker that is suspended, as one is on a machine that is gone', async t => {
      const own = await queueRun(t, await start(t), hardCsv(900_000));
      const first = own.work('--max-rows-per-second', '500', '--batch-rows', '100');
      const planner = own.score('--workers', '0');
      await until('it has a shard', () => /shard 0: from row/.test(first.said));
      const second = own.work();
      await until('another waits', () => /scoring its shards/.test(second.said));
      first.child.kill('SIGSTOP');
      const stopped = performance.now();
      await until('the other takes over', () => /shard 0: from row \d+, attempt 2/.test(second.said));
      t.diagnostic(
        `taken over ${((performance.now() - stopped) / 1000).toFixed(1)} s after it was suspended`,
      );
      assert.equal((await planner.finished).code, 1);
      await compareOne(own);
      first.child.kill('SIGCONT');
      await until('it notices', () => /shard 0: another worker has taken it over/.test(first.said));
    });
  });
