import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BatchMemory } from '../../../src/base/kernel/batch-memory.ts';
import { BatchColumns } from '../../../src/formats/columns/batch-columns.ts';
import {
  columnEncoderOf,
  type LearnedColumn,
  unrecognizedOf,
} from '../../../src/formats/columns/column-encoder.ts';
import { readerOf } from '../../../src/formats/columns/reader-of.ts';
import { csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import { encodeValue } from '../../../src/formats/json/write-bytes.ts';
import { textOf } from '../../../src/formats/records/fields.ts';
import { read } from '../../support/csv/read.ts';
import { character, runs } from '../../support/random-tests.ts';

const levels = [
  'yes',
  'no',
  'No',
  'a b',
  '007',
  '1',
  '1.0',
  'null',
  'é',
  '\u00a0x',
  'x\u00a0',
  ' spaced ',
  'true',
  '<b>',
  '\ud800',
];
/** More than a byte can number. */
const many = Array.from({ length: 700 }, (_, i) => `level ${i}`);

const columns: LearnedColumn[] = [
  { name: 'x', type: 'numerical', notation: 'point' },
  { name: 'x', type: 'numerical', notation: 'comma' },
  { name: 'x', type: 'date', order: 'ymd', piece: 'day' },
  { name: 'x', type: 'date', order: 'dmy', piece: 'day' },
  { name: 'x', type: 'date', order: 'mdy', piece: 'hour' },
  { name: 'x', type: 'categorical', levels },
  { name: 'x', type: 'categorical', levels, others: 'merged' },
  { name: 'x', type: 'categorical', levels: many, targets: [...many, ''].map((_, i) => [i]) },
  { name: 'x', type: 'categorical', levels: ['yes', 'a b', 'café'] },
  { name: 'x', type: 'categorical', levels: [] },
  { name: 'x', type: 'categorical', levels: ['No', 'Yes'], others: 'merged' },
  { name: 'x', type: 'categorical', levels: ['0', '1', '7'], others: 'merged' },
  { name: 'x', type: 'categorical', levels: ['1.0', '2.0', '3.0'] },
];
const types = [undefined, 'categorical', 'numerical', 'date', 'text', 'something else'];

/** The whole number in the middle of two doubles, or one beside it. */
function middle(value: bigint): string {
  const step = 2n ** BigInt(value.toString(2).length - 53);
  return String((value / step) * step + step / 2n + (value % 3n) - 1n);
}
const digits = fc.stringMatching(/^\d{1,20}$/);
const sign = fc.constantFrom('', '', '-', '+', '\u2212', '--');
const number = fc.oneof(
  fc.integer().map(String),
  fc.double().map(String),
  fc.double({ min: 1e-6, max: 1, noNaN: true }).map(String),
  // In the middle of two doubles, and next to it.
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 62n }).map(middle),
  fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n }).map(half => `${half}.5`),
  fc
    .tuple(sign, digits, fc.constantFrom('', '.', ','), fc.oneof(digits, fc.constant('')))
    .map(parts => parts.join('')),
  fc
    .tuple(fc.constantFrom('$', '€ ', 'USD ', ''), fc.integer(), fc.constantFrom('', '%', ' CHF'))
    .map(parts => parts.join('')),
  fc.constantFrom(
    '1,234.5',
    '1.234,5',
    "1'234",
    '12,34,567',
    '1e5',
    '1E400',
    '-1e-400',
    '0x10',
    '.5',
    '5.',
    '.',
    '-',
    '-0',
    '00',
  ),
);
const date = fc.oneof(
  fc.date({ noInvalidDate: true }).map(day => day.toISOString()),
  fc.date({ noInvalidDate: true }).map(day => day.toISOString().slice(0, 10)),
  fc.tuple(fc.nat(40), fc.nat(14), fc.nat(2100)).map(parts => parts.join('/')),
  fc.constantFrom(
    '3 Mar 2024',
    '2024-02-30',
    '12/31/99 11:59 PM',
    '1.2.2003 4:05',
    '2024-01-01T10:00:00+02:00',
    '20240131T0930Z',
    ' 2024/1/31 ',
  ),
);
const text = fc.oneof(
  fc.constantFrom(
    ...levels.filter(level => level !== '\ud800'),
    ...many.slice(0, 3),
    '',
    ' ',
    '\t',
    '\u00a0',
    '\ufeff',
    '\u2003 ',
    'NA',
    '?',
  ),
  fc.nat(800).map(i => `level ${i}`),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: character, maxLength: 60 }).map(given => Buffer.from(given).toString()),
);
const field = fc.oneof(
  number,
  date,
  text,
  number.map(given => ` ${given} `),
  text.map(given => `${given} `),
  text.map(given => `\t${given}`),
  fc.constantFrom('True', 'f', 'N', '0.0', '1.0', '7.0', '7', '3', ' y ', '.0', '1.00'),
  fc.constantFrom('spaced', ' spaced', 'x', '\u00a0é', 'café ', 'cafe\u0301'),
);

const quoted = (given: string): string => `"${given.replaceAll('"', '""')}"`;
/** A field as CSV, quoted only where it must be. */
const written = (given: string): string => (/[",\r\n]/.test(given) ? quoted(given) : given);

/** With the kernel, and without: where it has no memory, everything is read in the general way. */
const memories = [BatchMemory.create(), undefined];
const all = memories.flatMap(memory =>
  columns.flatMap(column =>
    types.map(type => ({ memory, column, type, reader: readerOf(column, type, memory) })),
  ),
);

describe('a column read from bytes', () => {
  it('has the same values as one that is sent to the service', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...all),
        fc.array(fc.tuple(field, fc.boolean()), { minLength: 1, maxLength: 60 }),
        ({ memory, column, type, reader }, given) => {
          const records = given.map(
            ([value, isQuoted]) => `1,${isQuoted ? quoted(value) : written(value)},z\n`,
          );
          const { head, batches } = read(`a,x,b\n${records.join('')}`, { batchRows: 1000, chunk: 1 << 16 });
          const placed = new BatchColumns(csvLayout({ header: head }), memory);
          const encode = columnEncoderOf(column);
          const unrecognized = { missing: 0, mismatched: 0, unseen: 0, trimmed: 0 };
          Object.assign(reader.unrecognized, unrecognized);
          for (const batch of batches) {
            const { fields, values } = placed.place(batch, 2);
            values.fill(7);
            assert.equal(fields.rows, batch.ends.length);
            const middle = fields.rows >> 1;
            reader.read(fields, 1, values, 1, 2, 0, middle);
            reader.read(fields, 1, values, 1, 2, middle, fields.rows);
            const expected = Array.from({ length: fields.rows }, (_, row) => {
              const text = textOf(fields, row, 1);
              const sent = text === '' ? null : JSON.parse(encodeValue(text, type));
              const number = sent === null ? null : encode(sent);
              const kind = unrecognizedOf(column, sent, number);
              if (kind !== undefined) unrecognized[kind]++;
              return number ?? Number.NaN;
            });
            assert.deepEqual(
              [...values].filter((_, i) => i % 2 === 1),
              expected,
            );
            assert.ok(values.every((value, i) => i % 2 === 1 || value === 7));
          }
          assert.deepEqual(reader.unrecognized, unrecognized);
        },
      ),
      { numRuns: runs(15_000, 2000) },
    );
  });

  it('is exact for all decimals of up to 15 digits', () => {
    const column: LearnedColumn = { name: 'x', type: 'numerical', notation: 'point' };
    const readers = memories.map(memory => ({ memory, reader: readerOf(column, 'numerical', memory) }));
    fc.assert(
      fc.property(fc.stringMatching(/^-?(\d{1,15}|\d{1,8}\.\d{0,7}|\.\d{1,15})$/), given => {
        for (const { memory, reader } of readers) {
          const { head, batches } = read(`x\n${given}\n`);
          const placed = new BatchColumns(csvLayout({ header: head }), memory);
          for (const batch of batches) {
            const { fields, values } = placed.place(batch, 1);
            reader.read(fields, 0, values, 0, 1, 0, 1);
            assert.equal(values[0], Number(given));
          }
        }
      }),
      { numRuns: runs(10_000, 1000) },
    );
  });
});
