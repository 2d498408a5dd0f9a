import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as loop } from 'node:timers/promises';
import { Turns } from '../../src/service/turns.ts';

test('keys take turns, whoever has more to do, and each has its own in order', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const work = async (key: string, name: string) => {
    await turns.next(key);
    order.push(name);
  };
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(name => work(name.charAt(0), name));
  await Promise.all(all);
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('one slice is done per turn of the event loop', async () => {
  const turns = new Turns();
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

test('work that comes later has its turns too', async () => {
  const turns = new Turns();
  await turns.next('a');
  await Promise.all([turns.next('a'), turns.next('a').then(() => turns.next('b'))]);
  await turns.next('a');
});
