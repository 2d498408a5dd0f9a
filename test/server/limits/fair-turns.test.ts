import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as loop } from 'node:timers/promises';
import { KeyTurns, MainThreadTurns } from '../../../src/server/limits/fair-turns.ts';

/** Turns in a process in which each slice takes a minute. */
function busyTurns(): MainThreadTurns {
  let now = 0;
  return new MainThreadTurns(() => {
    now += 60_000;
    return now;
  });
}

test('keys take turns regardless of their load, and the work of each stays in order', async () => {
  const turns = busyTurns();
  await turns.next('z');
  const order: string[] = [];
  const work = async (key: string, name: string) => {
    await turns.next(key);
    order.push(name);
  };
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(name => work(name.charAt(0), name));
  await Promise.all(all);
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('one waiting slice runs per turn of the event loop', async () => {
  const turns = busyTurns();
  await turns.next('z');
  let done = 0;
  const all = Array.from({ length: 10 }, async (_, i) => {
    await turns.next(String(i % 2));
    done++;
  });
  for (let before = 0; done < 10; before = done) {
    await loop();
    assert.ok(done - before <= 1);
  }
  await Promise.all(all);
});

test('nothing waits while the event loop has time', async () => {
  const turns = new MainThreadTurns(() => 0);
  let isLater = false;
  setImmediate(() => {
    isLater = true;
  });
  for (let i = 0; i < 100; i++) await turns.next(String(i % 2));
  assert.ok(!isLater);
});

test('work that arrives later gets its turns too', async () => {
  const turns = busyTurns();
  await turns.next('a');
  await Promise.all([turns.next('a'), turns.next('a').then(() => turns.next('b'))]);
  await turns.next('a');
  await loop();
  await turns.next('b');
});

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
