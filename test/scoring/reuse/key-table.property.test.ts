import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { adds, KeyTable, todo } from '../../../src/scoring/reuse/key-table.ts';
import { KEY_WORDS } from '../../../src/scoring/reuse/row-keys.ts';
import { runs } from '../../support/random-tests.ts';

/** Few keys in one bucket, so that they are forgotten, and some that differ in one word. */
const key = fc.tuple(fc.nat(3), fc.constantFrom(0, 1 << 21, -1), fc.nat(2), fc.nat(2));
const call = fc.record({
  rows: fc.array(fc.tuple(key, fc.constantFrom(0, 0, 0, 1, 2)), { maxLength: 90 }),
  added: fc.constantFrom(...Object.values(adds)),
  kept: fc.nat(200),
});

it('a table of keys finds the same in a kernel and without one', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 150 }), fc.array(call, { maxLength: 6 }), (capacity, calls) => {
      const [kernel, plain] = [new KeyTable(capacity), new KeyTable(capacity, false)];
      for (const { rows, added, kept } of calls) {
        const keys = Int32Array.from(rows.flatMap(([words]) => words));
        const plan = Int32Array.from(rows, ([, todo]) => todo);
        const [found, expected] = [kernel, plain].map(table =>
          table.find(keys, rows.length, added, kept, plan),
        );
        assert.deepEqual(
          [found?.found, [...(found?.entries ?? [])]],
          [expected?.found, [...(expected?.entries ?? [])]],
        );
      }
    }),
    { numRuns: runs(500, 100) },
  ));

const keysFrom = (first: number): Int32Array =>
  Int32Array.from({ length: 100 * KEY_WORDS }, (_, at) =>
    Math.imul(first + (at >> 2) + 1, 0x9e3779b1 + (at & 3)),
  );

it('a table of keys finds all keys that were added last, whatever it has forgotten', () => {
  const table = new KeyTable(1000);
  for (let first = 0; first < 5000; first += 100) {
    assert.equal(table.find(keysFrom(first), 100, adds.missing, first).found, 0);
    for (let before = Math.max(0, first - 800); before <= first; before += 100)
      assert.deepEqual(
        [...table.find(keysFrom(before), 100, adds.none, 1000).entries],
        Array.from({ length: 100 }, (_, row) => (before + row) % 1000),
      );
    if (first >= 1000) assert.equal(table.find(keysFrom(first - 1000), 100, adds.none, 1000).found, 0);
  }
});

it('a table that grows keeps the entries of all keys, and those that only took one', () => {
  for (const hasKernel of [true, false]) {
    const table = new KeyTable(900_000, hasKernel);
    const plan = Int32Array.from({ length: 100 }, (_, row) => (row % 10 === 9 ? todo.takeEntry : todo.find));
    const expected = (first: number): number[] =>
      Array.from(plan, (each, row) => (each === todo.find ? first + row : -1));
    for (let first = 0; first < 9000; first += 100)
      table.find(keysFrom(first), 100, adds.missing, first, plan);
    for (let first = 0; first < 9000; first += 100)
      assert.deepEqual([...table.find(keysFrom(first), 100, adds.none, 9000, plan).entries], expected(first));
  }
});

it('a key that is added often pushes no other out of its bucket', () => {
  const [often, once] = [Int32Array.of(0, 1 << 21, 0, 0), Int32Array.of(0, 1 << 22, 0, 0)];
  for (const hasKernel of [true, false]) {
    const table = new KeyTable(100, hasKernel);
    table.find(once, 1, adds.all, 100);
    for (let row = 0; row < 50; row++) table.find(often, 1, adds.all, 100);
    assert.equal(table.find(once, 1, adds.none, 100).found, 1);
    assert.deepEqual([...table.find(often, 1, adds.none, 100).entries], [50]);
  }
});
