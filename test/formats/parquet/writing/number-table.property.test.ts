import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { NumberColumn } from '../../../../src/formats/parquet/writing/number-column.ts';
import { numberTable } from '../../../../src/formats/parquet/writing/number-table.ts';
import { ValueReader } from '../../../../src/formats/parquet/writing/read-values.ts';
import { doubleOf } from '../../../../src/formats/required-numbers.ts';
import { kernelMemory } from '../../../support/csv/read.ts';
import { runs } from '../../../support/random-tests.ts';

const nulls = new Set<string>();

const field = fc.oneof(
  fc.double().map(String),
  fc.double({ min: 0, max: 1, noNaN: true }).map(number => String(Math.round(number * 1e8) / 1e8)),
  fc.constantFrom(
    '',
    '-0',
    '0',
    '1.',
    '.5',
    '007',
    '1e-7',
    'NaN',
    '-Infinity',
    ' 1',
    '123456789012345',
    '1234567890123456',
  ),
);

/** Records that most outputs have, and a few that they do not: blank lines, quotes, and no line ending. */
const record = (width: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(field, { minLength: width, maxLength: width }), fc.constantFrom('\n', '\n', '\r\n'))
    .map(([fields, ending]) => fields.join(',') + ending);

it('a table of numbers is read as fields are', () => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 4 })
        .chain(width =>
          fc.tuple(fc.constant(width), fc.array(record(width), { minLength: 1, maxLength: 8 })),
        ),
      fc.integer({ min: 1, max: 1500 }),
      fc.constantFrom('', '\n', '"1"\n', '1'),
      ([width, records], repeats, end) => {
        const dialect = { delimiter: ',', quote: '"', loneCr: false };
        const isWhole = end === '' || width === 1;
        const text = Buffer.from(records.join('').repeat(repeats) + (isWhole ? end : '\n'));
        const columns = Array.from({ length: width }, (_, index) => ({
          name: `c${index}`,
          type: 'number' as const,
          isVaried: true,
        }));
        const table = numberTable(dialect, width)?.(text, 0, text => doubleOf(text, nulls));
        const reader = new ValueReader({ dialect, columns, nulls, file: 'out.parquet' }, kernelMemory);
        const values = reader.read(text, () => 0);
        if (table === undefined) assert.notEqual(end, '');
        else
          for (const [index, column] of table.entries()) {
            const expected = values[index];
            assert.ok(expected instanceof NumberColumn);
            assert.equal(column.rows, expected.rows);
            const [own, wanted] = [column, expected].map(each => each.slice(0, each.rows, 0));
            assert.deepEqual(own?.values, wanted?.values);
            assert.deepEqual(own?.present?.slice(), wanted?.present?.slice());
          }
      },
    ),
    { numRuns: runs(200, 10) },
  );
});
