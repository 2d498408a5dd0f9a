import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { EarlierOutput } from '../../../src/runs/reuse/earlier-output.ts';
import { type EarlierRows, startIn } from '../../../src/runs/reuse/earlier-rows.ts';
import { CopiedRows } from '../../../src/scoring/reuse/copied-rows.ts';
import { runs } from '../../support/random-tests.ts';

/** Keys of rows by number. */
const keysOf = (rows: readonly number[]): Int32Array =>
  Int32Array.from(rows.flatMap(row => [Math.imul(row, 0x9e3779b1), row, row, Math.imul(row, 0x85ebca6b)]));

async function* batchesOf(rows: readonly number[], size: number, from = 0): AsyncGenerator<EarlierRows> {
  for (let at = from; at < rows.length; at += size) {
    const some = rows.slice(at, at + size);
    const texts = some.map(row => `,${row}`);
    // Each begins at a whole word.
    const bytes = Buffer.alloc(12 * texts.length);
    const ends = new Int32Array(texts.length);
    for (const [index, text] of texts.entries())
      ends[index] = startIn(ends, index) + bytes.write(text, startIn(ends, index));
    yield {
      rows: some.length,
      firstRow: at + 1,
      keys: keysOf(some),
      bytes,
      ends,
    };
  }
}

/** Finds rows, and says which were found and how. */
async function find(
  earlier: readonly number[],
  input: readonly number[],
  { windowRows = 1 << 16, maxBytes = 1 << 20, firstRow = 1, batch = 10 } = {},
) {
  const orders: string[] = [];
  const output = new EarlierOutput({
    windowRows,
    maxBytes,
    onOrder: order => orders.push(order),
    open: async skipped => batchesOf(earlier, 7, skipped - (skipped % 7)),
  });
  const found: number[] = [];
  for (let at = 0; at < input.length; at += batch) {
    const rows = input.slice(at, at + batch);
    const into = new CopiedRows(rows.length);
    await output.find(
      { keys: keysOf(rows), rows: rows.length, firstRow: firstRow + at, without: new Map() },
      into,
    );
    for (const [index, row] of rows.entries())
      if (into.has(index)) {
        assert.equal(into.bytesOf(index).toString(), `,${row}`);
        found.push(row);
      }
  }
  await output.close();
  return { found, orders };
}

const numbers = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index);

describe('the rows of an earlier output', () => {
  it('are found in any order, whatever the memory', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(500), { maxLength: 400 }),
        fc.array(fc.nat(500), { minLength: 1, maxLength: 400 }),
        fc.constantFrom(1 << 20, 1000),
        async (earlier, input, maxBytes) => {
          const { found } = await find(earlier, input, { maxBytes });
          assert.deepEqual(
            found,
            input.filter(row => earlier.includes(row)),
          );
          const small = await find(earlier, [...input.slice(0, 1), -1, -2, ...input], {
            maxBytes,
            windowRows: 2,
            batch: 1000,
          });
          if (small.orders.at(-1) === 'any order')
            assert.deepEqual(
              small.found,
              [...input.slice(0, 1), ...input].filter(row => earlier.includes(row)),
            );
        },
      ),
      { numRuns: runs(300, 20) },
    ));

  it('are found in a window if they are in the same order, with rows that were inserted and deleted', async () => {
    const earlier = numbers(20_000);
    const input = earlier.flatMap(row => (row % 50 === 3 ? [] : row % 70 === 1 ? [row, 1e6 + row] : [row]));
    const { found, orders } = await find(earlier, input, { windowRows: 256 });
    assert.deepEqual(orders, ['same order']);
    assert.deepEqual(
      found,
      input.filter(row => row < 1e6),
    );
  });

  it('are found after many were inserted or deleted in one place', async () => {
    const earlier = numbers(5000);
    const inserted = [...numbers(1000), ...numbers(3000, 1e6), ...numbers(4000, 1000)];
    assert.deepEqual((await find(earlier, inserted, { windowRows: 256 })).found, earlier);
    const deleted = [...numbers(1000), ...numbers(1500, 3500)];
    const { found, orders } = await find(earlier, deleted, { windowRows: 256 });
    assert.deepEqual(orders, ['same order', 'any order']);
    // Those that came while the window was waiting are sent.
    assert.ok(found.length >= deleted.length - 256, String(found.length));
  });

  it('are found by a run that begins in the middle of its input', async () => {
    const earlier = numbers(5000);
    const { found, orders } = await find(earlier, numbers(1000, 3000), { windowRows: 256, firstRow: 3001 });
    assert.deepEqual(orders, ['same order']);
    assert.deepEqual(found, numbers(1000, 3000));
    for (const moved of [-140, 140]) {
      const far = await find(earlier, numbers(1000, 3000), { windowRows: 256, firstRow: 3001 + moved });
      assert.deepEqual(far.orders, ['same order']);
      assert.deepEqual(far.found, numbers(1000, 3000));
    }
    const shuffled = earlier.map(row => (row * 1237) % 5000);
    const other = await find(shuffled, numbers(1000, 3000), { windowRows: 256, firstRow: 3001 });
    assert.deepEqual(other.orders, ['any order']);
    assert.deepEqual(other.found, numbers(1000, 3000));
  });

  it('may be many more than fit into the memory', async () => {
    const earlier = numbers(100_000).map(row => (row * 7919) % 100_000);
    const input = numbers(3000, 99_000);
    const { found } = await find(earlier, input, { windowRows: 256, maxBytes: 1 << 20 });
    assert.deepEqual(found, numbers(1000, 99_000));
  });
});
