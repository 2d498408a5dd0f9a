import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import { BatchColumns } from '../../../src/formats/columns/batch-columns.ts';
import { levelTable } from '../../../src/formats/columns/level-column.ts';
import { readerOf } from '../../../src/formats/columns/reader-of.ts';
import { csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { read } from '../../support/csv/read.ts';
import '../../support/random-tests.ts';

/** Texts of few letters, so that many share their ends. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength: 1, maxLength: 14 });

const memory = BatchMemory.create();

/** Finds a text among others as the kernel does, in the middle of a batch and at its end. */
function found(levels: readonly string[], wanted: string): number[] {
  const reader = readerOf({ name: 'x', type: 'categorical', levels: [...levels] }, 'categorical', memory);
  const { head, batches } = read(`x,y\n${wanted},1\n2,${wanted}`);
  const columns = new BatchColumns(csvLayout({ header: head }), memory);
  return batches.flatMap(batch => {
    const { fields, values } = columns.place(batch, 1);
    return fields.rows === 0
      ? []
      : [0, 1].map(row => {
          reader.read(fields, row, values, 0, 1, row, row + 1);
          return Number.isNaN(values[row]) ? -1 : (values[row] as number) - 1;
        });
  });
}

describe('a table of levels', () => {
  it('finds each text by its bytes, wherever they are, and no other', () => {
    fc.assert(
      fc.property(fc.uniqueArray(text, { maxLength: 40 }), text, (levels, other) => {
        for (const wanted of [...levels, other]) {
          const index = levels.indexOf(wanted);
          assert.deepEqual(found(levels, wanted), [index, index]);
        }
      }),
    );
  });

  it('compares what is between the ends, also if most texts differ only there', () => {
    const levels = Array.from({ length: 150 }, (_, i) => `same-${String(i).padStart(5, '0')}-same`);
    const table = levelTable(levels.map(level => Buffer.from(level)));
    assert.ok(table.isWhole);
    for (const [i, level] of levels.entries()) assert.deepEqual(found(levels, level), [i, i]);
    assert.deepEqual(found(levels, 'same-99999-same'), [-1, -1]);
    assert.deepEqual(found(['same-1-same'], 'same-2-same'), [-1, -1]);
  });

  it('does not compare many texts with the same ends, even if there are as many others', () => {
    const varied = Array.from({ length: 5900 }, (_, i) => `${(i * 7919) % 10007}-${i}`);
    const alike = Array.from({ length: 4000 }, (_, i) => `SKU-${String(i).padStart(6, '0')}-0000`);
    const table = levelTable([...varied, ...alike].map(level => Buffer.from(level)));
    assert.ok(table.isWhole);
    assert.deepEqual(found([...varied.slice(0, 59), ...alike.slice(0, 40)], alike[7] ?? ''), [66, 66]);
  });

  it('finds nothing among none', () => {
    assert.deepEqual(found([], 'a'), [-1, -1]);
  });
});
