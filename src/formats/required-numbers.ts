import type { Layout } from './format.ts';
import type { ColumnOptions } from './output-columns.ts';
import type { Fault } from './records/faults.ts';
import { textOf } from './records/fields.ts';

/**
 * The columns of an input whose values must be numbers, because the file that is written has numbers there; plain data.
 */
export interface RequiredNumbers {
  /** Their indices in the names of the layout. */
  readonly columns: readonly number[];
  /** Texts that stand for a missing number. */
  readonly nulls: readonly string[];
}

/** Bytes of the first records that are looked at, and rows: the same ones whenever the input is read. */
export const FIRST_NUMBER_BYTES = 16 << 10;
const FIRST_ROWS = 50;

/**
 * The columns that are written as numbers: those that options or the report call so, unless most of their first values
 * are none, such as amounts with a currency.
 *
 * @param first bytes of the first records
 */
export function requiredNumbers(
  layout: Pick<Layout, 'names' | 'records' | 'fieldReader' | 'start'>,
  { keep = 'all', types = {}, nulls = [], writes }: ColumnOptions & { nulls?: readonly string[] | undefined },
  first: Buffer,
): RequiredNumbers | undefined {
  if (writes?.hasNumbers !== true || keep === 'none') return undefined;
  const named = layout.names.flatMap((name, column) =>
    isNumberType(types[name]) && (keep === 'all' || keep.includes(name)) ? [column] : [],
  );
  if (named.length === 0) return undefined;
  const texts = writes.isThere ? undefined : columnsOfText(layout, named, new Set(nulls), first);
  const columns = named.filter(column => texts?.has(column) !== true);
  return columns.length === 0 ? undefined : { columns, nulls };
}

/** Those of the columns most of whose first values are no numbers. */
function columnsOfText(
  layout: Pick<Layout, 'records' | 'fieldReader' | 'start'>,
  columns: readonly number[],
  nulls: ReadonlySet<string>,
  first: Buffer,
): Set<number> {
  const records = layout.records({
    file: '',
    batchRows: FIRST_ROWS,
    maxRecordBytes: Number.POSITIVE_INFINITY,
    start: layout.start,
  });
  const fieldsOf = layout.fieldReader();
  const found = new Set<number>();
  // An empty chunk ends the batch of the whole records before it.
  for (const chunk of [first.subarray(0, FIRST_NUMBER_BYTES), Buffer.alloc(0)])
    for (const batch of records.push(chunk)) {
      const fields = fieldsOf(batch);
      for (const column of columns) {
        let [numbers, others] = [0, 0];
        for (let row = 0; row < fields.rows; row++) {
          const number = doubleOf(textOf(fields, row, column), nulls);
          if (number === undefined) others++;
          else if (number !== null) numbers++;
        }
        if (others > numbers) found.add(column);
      }
      return found;
    }
  return found;
}

export const notANumber = (column: string): Fault => ({
  code: 'not_a_number',
  reason: `the column "${column}" is written as numbers, and this value is not a number, or too large for a double`,
  hint: 'correct the value, or name it with --nulls if it stands for a missing one',
});

/**
 * The number of a text, as a column of doubles has it.
 *
 * @param nulls texts that stand for a missing number
 * @returns null for a missing one; undefined if the text is not a number, or one that a double does not have
 */
export function doubleOf(text: string, nulls: ReadonlySet<string>): number | null | undefined {
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

/** The numbers of CSV (docs/formats.md#csv). */
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

const NUMBERS: ReadonlySet<string> = new Set(['numerical', 'float', 'integer']);

/** Whether a column is one of numbers, by its type as options and reports call it. */
export const isNumberType = (type = ''): boolean => NUMBERS.has(type);
