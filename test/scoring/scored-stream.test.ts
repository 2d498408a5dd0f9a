import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { prefetch } from '../../src/scoring/scored-stream.ts';

/** Numbers, and whether what makes them has been closed. */
function numbers(count: number, failAt = Number.POSITIVE_INFINITY) {
  const state = { isClosed: false };
  async function* items(): AsyncGenerator<number> {
    try {
      for (let i = 0; i < count; i++) {
        if (i === failAt) throw new Error('broken');
        yield i;
      }
    } finally {
      state.isClosed = true;
    }
  }
  return { state, items: items() };
}

describe('prefetched items', () => {
  for (const [what, count] of [
    ['fewer than wanted', 2],
    ['as many as wanted', 3],
    ['more than wanted', 7],
  ] as const)
    it(`are all there, in order: ${what}`, async () => {
      const { items } = numbers(count);
      const all: number[] = [];
      for await (const item of await prefetch(items, 3)) all.push(item);
      assert.deepEqual(all, [...Array(count).keys()]);
    });

  it('fail before any of them is used', async () => {
    await assert.rejects(prefetch(numbers(7, 2).items, 3), /broken/);
  });

  for (const taken of [1, 3, 5])
    it(`are closed when no more are wanted, after ${taken}`, async () => {
      const { state, items } = numbers(7);
      const fetched = await prefetch(items, 3);
      for (let i = 0; i < taken; i++) await fetched.next();
      await fetched.return(undefined);
      assert.ok(state.isClosed);
    });
});
