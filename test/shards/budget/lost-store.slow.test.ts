import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { takeSlot } from '../../../src/shards/budget/take-slot.ts';
import { QueueMonitor } from '../../../src/shards/queue/queue-monitor.ts';
import { openStore as open } from '../../support/stores/open-store.ts';
import { stores } from '../../support/stores/stores.ts';

const run = { key: 'abc', plan: 'id', folder: '/shared/out.csv.shards', announced: 1 };

for (const { name, skip, start } of stores)
  describe(`a worker whose requests ${name} counts`, { skip }, () => {
    it('sends nothing while it cannot be reached, and then goes on; or ends when it is stopped', async t => {
      const server = await start(t);
      const queue = await open(t, server);
      const said: string[] = [];
      const monitor = new QueueMonitor({
        onLost: () => said.push('lost'),
        onFound: () => said.push('found'),
      });
      const budget = {
        rates: () => ({ requests: 10, rows: 1_000 }),
        reserve: (rows: number, rates: { requests: number; rows: number }, horizon: number) =>
          monitor.call(() => queue.reserve(run, rows, rates, horizon)),
      };
      const stop = new AbortController();
      await takeSlot(budget, 10, stop.signal);
      await server.kill();
      let isTaken = false;
      const taken = takeSlot(budget, 10, new AbortController().signal).then(() => {
        isTaken = true;
      });
      const stopped = assert.rejects(takeSlot(budget, 10, stop.signal), { name: 'AbortError' });
      while (said.length === 0) await delay(50);
      stop.abort();
      await stopped;
      assert.equal(isTaken, false);
      await server.start();
      await taken;
      assert.deepEqual(said, ['lost', 'found']);
    });
  });
