import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Rates, Slot } from '../../../src/shards/budget/slot-store.ts';
import { takeSlot } from '../../../src/shards/budget/take-slot.ts';
import { openStore as open } from '../../support/stores/open-store.ts';
import { stores } from '../../support/stores/stores.ts';

const run = { key: 'abc', plan: 'id', folder: '/shared/out.csv.shards', announced: 1 };
const { signal } = new AbortController();

/** A worker that keeps to limits, and the times that it has reserved. */
async function newTaker(t: TestContext, server: { url: string }, rates: Rates) {
  const queue = await open(t, server);
  const slots: Slot[] = [];
  const reserve = async (rows: number, given: Rates): Promise<Slot> => {
    const slot = await queue.reserve(run, rows, given);
    slots.push(slot);
    return slot;
  };
  const budget = { rates: () => rates, reserve };
  return { slots, take: (rows: number, stop = signal) => takeSlot(budget, rows, stop) };
}

/** As a process is that is suspended. */
function block(ms: number): void {
  for (const begun = performance.now(); performance.now() - begun < ms; );
}

for (const { name, skip, start } of stores)
  describe(`a worker whose requests ${name} counts`, { skip }, () => {
    it('has all that others do not use, and never sends before its time', async t => {
      const server = await start(t);
      const rates = { requests: 50, rows: 5_000 };
      const [busy, ...idle] = await Promise.all([0, 1, 2].map(() => newTaker(t, server, rates)));
      await Promise.all(idle.map(({ take }) => take(100)));
      assert.ok(busy !== undefined);
      const begun = performance.now();
      for (let i = 0; i < 26; i++) await busy.take(100);
      const took = performance.now() - begun;
      assert.ok(took >= 490, `25 intervals of 20 ms took ${took} ms`);
      const [first, last] = [busy.slots[0]?.at ?? 0, busy.slots.at(-1)?.at ?? 0];
      // With a third of the rate, they would be 1,500 ms.
      assert.ok(last - first < 1_400, `25 intervals of 20 ms were ${last - first} ms`);
    });

    it('asks again for a time that has passed while it was suspended, and waits for none that it does not want', async t => {
      const server = await start(t);
      const { slots, take } = await newTaker(t, server, { requests: 2, rows: Number.POSITIVE_INFINITY });
      await take(1);
      const late = take(1);
      while (slots.length < 2) await delay(1);
      block(1_000);
      await late;
      assert.equal(slots.length, 3);
      const aborted = new AbortController();
      const refused = assert.rejects(take(1, aborted.signal), { name: 'AbortError' });
      while (slots.length < 4) await delay(1);
      aborted.abort();
      await refused;
    });

    it('asks for nothing without a limit', async t => {
      const none = { requests: Number.POSITIVE_INFINITY, rows: Number.POSITIVE_INFINITY };
      const { slots, take } = await newTaker(t, await start(t), none);
      await take(1);
      assert.deepEqual(slots, []);
    });
  });
