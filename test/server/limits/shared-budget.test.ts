import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SharedBudget, UploadMemory } from '../../../src/server/limits/shared-budget.ts';

/** Takes pieces for the keys in rotation until none gets any more. @returns what each key holds */
function fill(budget: SharedBudget, keys: readonly string[], piece = 1): number[] {
  const holdings = keys.map(key => budget.open(key));
  for (let isTaking = true; isTaking; )
    isTaking = holdings.map(holding => holding.take(piece)).some(taken => taken);
  return keys.map(key => budget.heldBy(key));
}

test('a key alone gets half, two a third each, and eight a ninth', () => {
  const eight = [...'abcdefgh'];
  assert.deepEqual(fill(new SharedBudget(90, () => {}), ['a']), [45]);
  assert.deepEqual(fill(new SharedBudget(90, () => {}), ['a', 'b']), [30, 30]);
  assert.deepEqual(
    fill(new SharedBudget(90, () => {}), eight),
    eight.map(() => 10),
  );
});

test('a key that holds nothing is granted a unit as long as one is free', () => {
  const budget = new SharedBudget(3, () => {});
  const takes = ['a', 'b', 'c', 'd'].map(key => budget.open(key).take(1));
  assert.deepEqual(takes, [true, true, true, false]);
});

test('a released piece is free again, only once, and a released holding takes nothing more', () => {
  let refusals = 0;
  const budget = new SharedBudget(10, () => refusals++);
  const first = budget.open('a');
  const second = budget.open('a');
  assert.ok(first.take(2) && first.take(1) && second.take(2));
  assert.ok(!second.take(1));
  assert.equal(refusals, 1);
  first.release();
  first.release();
  assert.equal(budget.heldBy('a'), 2);
  assert.ok(!first.take(1) && second.take(3));
  second.release();
  assert.equal(budget.heldBy('a'), 0);
  assert.ok(budget.open('b').take(10));
});

const stays = new AbortController().signal;

/** Takes shares in order. @returns the names of those that were given, which grow */
function taking(
  memory: UploadMemory,
  shares: [name: string, key: string, bytes: number, gone?: AbortSignal][],
) {
  const given: string[] = [];
  const release = new Map<string, () => void>();
  for (const [name, key, bytes, gone = stays] of shares)
    memory.take(key, bytes, gone).then(
      give => {
        given.push(name);
        release.set(name, give);
      },
      reason => given.push(`${name}: ${reason}`),
    );
  return { given, release: (name: string) => release.get(name)?.() };
}

describe('the memory of uploads', () => {
  it('is half that of a key at most; what is more waits for its share, and no other key for it', async () => {
    const { given, release } = taking(new UploadMemory(4), [
      ['1', 'a', 1],
      ['2', 'a', 1],
      ['3', 'a', 1],
      ['4', 'a', 1],
      ['5', 'b', 1],
    ]);
    await nextTurn();
    assert.deepEqual(given, ['1', '2', '5']);
    release('1');
    release('1');
    await nextTurn();
    assert.deepEqual(given, ['1', '2', '5'], 'it leaves less free now');
    release('5');
    await nextTurn();
    assert.deepEqual(given, ['1', '2', '5', '3']);
  });

  it('is given to the uploads of a key in order, also if a later one needs less', async () => {
    const { given, release } = taking(new UploadMemory(4), [
      ['1', 'a', 2],
      ['2', 'a', 2],
      ['3', 'a', 1],
    ]);
    await nextTurn();
    assert.deepEqual(given, ['1']);
    release('1');
    await nextTurn();
    assert.deepEqual(given, ['1', '2']);
  });

  it('is not given to an upload that has ended, which delays no other', async () => {
    const end = new AbortController();
    const { given } = taking(new UploadMemory(4), [
      ['1', 'a', 1],
      ['2', 'a', 2, end.signal],
      ['3', 'a', 1],
    ]);
    end.abort('gone');
    await nextTurn();
    assert.deepEqual(given, ['1', '2: gone', '3']);
  });

  it('is at most all there is', async () => {
    const { given } = taking(new UploadMemory(4), [['1', 'a', 9]]);
    await nextTurn();
    assert.deepEqual(given, ['1']);
  });
});
