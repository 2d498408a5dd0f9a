import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Rates, Slot } from '../../../src/shards/budget/slot-store.ts';
import { slow } from '../../support/slow.ts';
import { openStore as open } from '../../support/stores/open-store.ts';
import { mostOver, near } from '../../support/stores/slots.ts';
import { stores } from '../../support/stores/stores.ts';

const run = { key: 'abc', plan: 'id', folder: '/shared/out.csv.shards', announced: 1 };
const unlimited = Number.POSITIVE_INFINITY;

for (const { name, skip, start } of stores)
  describe(`what ${name} counts of a run`, { skip }, () => {
    it('is at most one request and one batch of rows over the limits in any span of time, whoever asks', async t => {
      const server = await start(t);
      const queues = await Promise.all([0, 1, 2, 3].map(() => open(t, server)));
      const rates: Rates = { requests: 400, rows: 6_000 };
      const takers = queues.flatMap(queue => [queue, queue, queue]);
      const taken = await Promise.all(
        takers.map(async (queue, taker) => {
          const slots: { at: number; rows: number }[] = [];
          for (let i = 0; i < 25; i++) {
            const rows = (7 * i + 3 * taker) % 40;
            slots.push({ rows, at: (await queue.reserve(run, rows, rates)).at });
          }
          return slots;
        }),
      );
      const slots = taken.flat().sort((a, b) => a.at - b.at);
      assert.equal(new Set(slots.map(({ at }) => at)).size, slots.length);
      assert.ok(
        mostOver(
          slots.map(({ at }) => ({ at, count: 1 })),
          rates.requests,
        ) <=
          1 + near,
      );
      assert.ok(
        mostOver(
          slots.map(({ at, rows }) => ({ at, count: rows })),
          rates.rows,
        ) <=
          39 + near,
      );
    });

    slow('leaves a request for each 1/rate, and rows for each rows/rate, as for one process', async t => {
      const queue = await open(t, await start(t));
      const waits = async (rates: Rates, ...batches: number[]): Promise<number[]> => {
        const slots: Slot[] = [];
        for (const rows of batches) slots.push(await queue.reserve(run, rows, rates));
        return slots.slice(1).map(({ at }, i) => Math.round(at - (slots[i]?.at ?? 0)));
      };
      assert.deepEqual(await waits({ requests: 1, rows: unlimited }, 5, 5, 0), [1_000, 1_000]);
      assert.deepEqual(
        await waits({ requests: unlimited, rows: 10 }, 0, 20, 0, 0, 10, 10),
        [0, 2_000, 0, 0, 1_000],
      );
      assert.deepEqual(await waits({ requests: 0.5, rows: 10 }, 10, 30, 10), [2_000, 3_000]);
    });

    slow(
      'does not reserve what is too far away, so that workers which end leave no long wait behind',
      async t => {
        const queue = await open(t, await start(t));
        const rates: Rates = { requests: unlimited, rows: 100 };
        const reserve = () => queue.reserve(run, 1_000, rates, 250);
        assert.equal((await reserve()).wait, 0);
        for (let worker = 0; worker < 10; worker++) {
          const { wait } = await reserve();
          assert.ok(wait > 250 && wait <= 10_000, `${wait}`);
        }
        assert.ok((await queue.reserve(run, 1, rates)).wait <= 10_000);
      },
    );

    slow('is all for one worker while the others send nothing', async t => {
      const server = await start(t);
      const queues = await Promise.all([0, 1, 2].map(() => open(t, server)));
      const rates: Rates = { requests: 10, rows: unlimited };
      const slots: Slot[] = [];
      for (const queue of queues) slots.push(await queue.reserve(run, 1, rates));
      for (let i = 0; i < 20; i++)
        slots.push((await queues[0]?.reserve(run, 1, rates)) ?? { at: 0, wait: 0 });
      const span = (slots.at(-1)?.at ?? 0) - (slots[0]?.at ?? 0);
      // With a third of the rate, the last 20 would be 6,000 ms.
      assert.ok(span < 4_400, `22 intervals of 100 ms were ${span} ms`);
    });

    it('does not go on from where a run was that is withdrawn, and is that of this run only', async t => {
      const queue = await open(t, await start(t));
      const rates = { requests: 0.01, rows: unlimited };
      assert.equal((await queue.reserve(run, 1, rates)).wait, 0);
      assert.ok((await queue.reserve(run, 1, rates)).wait > 90_000);
      assert.equal((await queue.reserve({ ...run, key: 'def' }, 1, rates)).wait, 0);
      await queue.withdraw(run);
      assert.equal((await queue.reserve(run, 1, rates)).wait, 0);
      assert.ok((await queue.reserve({ ...run, key: 'def' }, 1, rates)).wait > 90_000);
    });
  });
