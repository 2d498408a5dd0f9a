import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeyTurns } from '../../../src/server/limits/fair-turns.ts';

test('a thread has two slices at once, and keys take turns regardless of their load', async () => {
  const turns = new KeyTurns();
  const order: string[] = [];
  let running = 0;
  const slice = (name: string) =>
    turns.run(name.charAt(0), async () => {
      order.push(name);
      running++;
      assert.ok(running <= 2);
      await new Promise(setImmediate);
      running--;
    });
  await Promise.all(['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1'].map(slice));
  assert.deepEqual(order, ['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2', 'a5']);
});

test('a slice that fails passes its turn on', async () => {
  const turns = new KeyTurns();
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) =>
      turns.run('a', async () => {
        if (i % 3 === 0) throw new Error('wrong');
        return i;
      }),
    ),
  );
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 6);
});
