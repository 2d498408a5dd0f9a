import { RowcastError } from '../../../base/errors.ts';
import type { Dialect } from '../../../base/parse-records.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { readDecimal } from '../../bytes/read-decimal.ts';
import { TextCache } from '../../bytes/text-cache.ts';
import { FieldReader } from '../../csv/fields/field-reader.ts';
import { RecordReader } from '../../csv/records/record-reader.ts';
import type { EncodedColumn } from '../../group-encoding.ts';
import { textOf } from '../../records/fields.ts';
import { INPUT_START } from '../../records/position.ts';
import type { WrittenValue } from './written-columns.ts';

export interface ValueOptions {
  readonly dialect: Dialect;
  readonly columns: readonly EncodedColumn[];
  /** Texts that stand for a missing number. */
  readonly nulls: ReadonlySet<string>;
  /** The name of the output, for messages. */
  readonly file: string;
}

/**
 * The values of the records of a CSV, column by column. A missing value is null: an empty field without quotes, and of a
 * column of numbers also the texts that stand for one.
 *
 * @param rowsBefore of the file, for messages
 * @throws RowcastError `not_a_number`
 */
export function readValues(
  text: Buffer,
  { dialect, columns, nulls, file }: ValueOptions,
  rowsBefore: () => number,
): WrittenValue[][] {
  const width = columns.length;
  const values: WrittenValue[][] = columns.map(() => []);
  const records = new RecordReader({
    dialect,
    width,
    file,
    batchRows: 10_000,
    batchBytes: () => Number.POSITIVE_INFINITY,
    rowOverhead: 0,
    maxRecordBytes: Number.POSITIVE_INFINITY,
    start: INPUT_START,
  });
  const texts = columns.map(() => new TextCache());
  const reader = new FieldReader(width, dialect);
  const quote = dialect.quote?.charCodeAt(0);
  for (const part of [text, undefined])
    for (const batch of part === undefined ? records.end() : records.push(part)) {
      const fields = reader.read(batch);
      if (fields.faults.size > 0) throw new Error('a record of the output is malformed');
      for (const [column, { name, type }] of columns.entries()) {
        const into = values[column] ?? [];
        for (let row = 0; row < fields.rows; row++) {
          const at = row * width + column;
          const start = fields.starts[at] as number;
          const isEmpty = start === fields.ends[at];
          const isQuoted = quote !== undefined && fields.bytes[start - 1] === quote;
          if (isEmpty && (type === 'number' || !isQuoted)) into.push(null);
          else if (type === 'text')
            into.push(texts[column]?.textOf(fields.bytes, start, fields.ends[at] as number) ?? '');
          else {
            const plain = readDecimal(fields.bytes, start, fields.ends[at] as number);
            const number = isExact(plain, nulls) ? plain : numberOrNull(textOf(fields, row, column), nulls);
            if (number === undefined)
              throw notANumber(name, textOf(fields, row, column), file, rowsBefore() + into.length + 1);
            into.push(number);
          }
        }
      }
    }
  return values;
}

/** Whether a number of few digits is what its text says, unless that stands for a missing one, such as -1. */
const isExact = (plain: number, nulls: ReadonlySet<string>): boolean =>
  !Number.isNaN(plain) && nulls.size === 0;

/** @returns undefined if the text is not a number, or one that a double does not have */
function numberOrNull(text: string, nulls: ReadonlySet<string>): number | null | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || nulls.has(text)) return null;
  const number = Number(trimmed);
  if (/^(?:NaN|[+-]?Infinity)$/.test(trimmed)) return number;
  if (!NUMBER.test(trimmed)) return undefined;
  // Too large, or too small.
  if (!Number.isFinite(number) || (number === 0 && /[1-9].*e|^[^e]*[1-9]/i.test(trimmed))) return undefined;
  // A double beyond 2^53 may have a shorter text than that of its integer.
  const isChanged =
    /^[+-]?\d+$/.test(trimmed) && BigInt(trimmed) !== BigInt(number) && trimmed !== String(number);
  return isChanged ? undefined : number;
}

/** The numbers of CSV (docs/csv-rules.md). */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const notANumber = (column: string, value: string, file: string, row: number): RowcastError =>
  new RowcastError(
    'not_a_number',
    `row ${row} of the output: a value of the column "${sanitize(column)}" is not a number that a double can have`,
    {
      severity: 'stopped',
      location: { file },
      quote: `it is "${sanitize(value)}"`,
      hint: 'Name it as a missing value with --nulls, or leave the column out with --keep; for texts, use --types COLUMN=text.',
    },
  );
