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
  const reserve = async (rows: number, given: Rates, horizon: number): Promise<Slot> => {
    const slot = await queue.reserve(run, rows, given, horizon);
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
    it('never sends before its time', async t => {
      const { take } = await newTaker(t, await start(t), { requests: 50, rows: 5_000 });
      await take(100);
      const begun = performance.now();
      for (let i = 0; i < 25; i++) await take(100);
      const took = performance.now() - begun;
      // The first may have been late by 100 ms.
      assert.ok(took >= 400, `25 intervals of 20 ms took ${took} ms`);
    });

    it('asks again for a time that has passed while it was suspended, and waits for none that it does not want', async t => {
      const server = await start(t);
      const { slots, take } = await newTaker(t, server, { requests: 2, rows: Number.POSITIVE_INFINITY });
      await take(1);
      const before = slots.length;
      const late = take(1);
      while (slots.length === before) await delay(1);
      block(1_000);
      await late;
      const after = slots.length;
      assert.ok(after >= before + 2);
      const aborted = new AbortController();
      const refused = assert.rejects(take(1, aborted.signal), { name: 'AbortError' });
      while (slots.length === after) await delay(1);
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
