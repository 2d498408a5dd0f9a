import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { dialectOf } from '../../../src/formats/csv/dialect.ts';
import { FieldReader } from '../../../src/formats/csv/fields/field-reader.ts';
import { KEY_WORDS, RowKeys } from '../../../src/scoring/reuse/row-keys.ts';
import { kernelMemory, read } from '../../support/csv/read.ts';
import { runs } from '../../support/random-tests.ts';

const value = fc.oneof(
  fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'ü', '1', ' ') }),
  fc.constantFrom('""', '"1"', '"a ""quoted"" text"', '"a,b"', 'a text that is much longer than the others'),
);

it('keys of rows are the same in a kernel and without one', () => {
  const keys = new RowKeys();
  fc.assert(
    fc.property(
      fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 8 }),
      fc.shuffledSubarray([0, 1, 2], { minLength: 1 }),
      fc.boolean(),
      (rows, columns, isTyped) => {
        const text = ['a,b,c', ...rows.map(row => row.join(','))].map(line => `${line}\n`).join('');
        const [batch] = read(text, { batchRows: 100 }).batches;
        assert.ok(batch);
        kernelMemory.clear();
        const reserved = keys.reserve(kernelMemory, batch, columns);
        const fields = { ...new FieldReader(3, dialectOf({}), kernelMemory).read(batch), isTyped };
        assert.ok(fields.placed);
        const inKernel = keys.keysOf(fields, columns, reserved);
        assert.equal(inKernel.buffer, kernelMemory.buffer);
        assert.equal(inKernel.length, fields.rows * KEY_WORDS);
        assert.deepEqual([...inKernel], [...keys.keysOf(fields, columns)]);
      },
    ),
    { numRuns: runs(300, 60) },
  );
});
