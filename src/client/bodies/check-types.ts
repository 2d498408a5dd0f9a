import { sanitize } from '../../base/sanitize.ts';
import type { Fields, Without } from '../../formats/records/fields.ts';
import { CellScanner, type IntegerRange } from './cell-scanner.ts';
import { type CellType, integerRange, isStrict, type StrictType } from './cell-type.ts';
import { missingIn } from './cells.ts';
import type { SentValues } from './sent-values.ts';

/** Why a row is not sent. */
export interface RowError {
  readonly code: 'wrong_type' | Without['code'];
  /** Names the column, and never the value. */
  readonly message: string;
}

/**
 * Adds the rows of a batch with a value that does not fit the type of its column: one such value makes a server fail for the
 * whole batch. It depends on nothing but the values, so a row is rejected again after a retry, in a half of its batch, or in a
 * run that is resumed.
 *
 * The offsets of the other values change to what is sent: without spaces, and empty if the value is missing.
 *
 * @param wrong index of a row → why it is not sent
 */
export type CheckTypes = (fields: Fields, wrong: Map<number, RowError>) => void;

interface StrictColumn {
  readonly index: number;
  readonly cell: StrictType;
  readonly range: IntegerRange;
  readonly error: RowError;
}

/** @returns undefined if no column has a type that a value might not fit */
export function checkTypes(
  { features, nulls }: Pick<SentValues, 'features' | 'nulls'>,
  cellOf: (type: string | undefined) => CellType,
): CheckTypes | undefined {
  const columns = features.flatMap(({ name, index, type }): StrictColumn[] => {
    const cell = cellOf(type);
    if (!isStrict(cell)) return [];
    return [{ index, cell, range: integerRange(type), error: wrongType(name, cell, type) }];
  });
  if (columns.length === 0) return undefined;
  const isMissing = missingIn(nulls);
  const scanner = new CellScanner();
  return (fields, wrong) => {
    for (const column of columns) checkColumn(column, fields, isMissing, scanner, wrong);
  };
}

function checkColumn(
  { index, cell, range, error }: StrictColumn,
  { rows, width, bytes, starts, ends }: Fields,
  isMissing: (bytes: Buffer, start: number, end: number) => boolean,
  scanner: CellScanner,
  wrong: Map<number, RowError>,
): void {
  for (let row = 0, at = index; row < rows; row++, at += width) {
    const start = starts[at] ?? 0;
    const end = ends[at] ?? 0;
    if (isMissing(bytes, start, end) || scanner.trim(bytes, start, end)) {
      ends[at] = start;
      continue;
    }
    const fits =
      cell === 'float'
        ? scanner.float(bytes)
        : cell === 'integer'
          ? scanner.integer(bytes, range)
          : scanner.boolean(bytes);
    if (fits) {
      starts[at] = scanner.start;
      ends[at] = scanner.end;
    } else if (!wrong.has(row)) wrong.set(row, error);
  }
}

/**
 * The fields of the other rows, one after the other.
 *
 * @param wrong rows in order
 */
export function withoutRows(fields: Fields, wrong: ReadonlyMap<number, RowError>): Fields {
  if (wrong.size === 0) return fields;
  const { rows, width } = fields;
  const starts = new Int32Array((rows - wrong.size) * width);
  const ends = new Int32Array(starts.length);
  let from = 0;
  let to = 0;
  const copyUntil = (row: number): void => {
    starts.set(fields.starts.subarray(from * width, row * width), to);
    ends.set(fields.ends.subarray(from * width, row * width), to);
    to += (row - from) * width;
    from = row + 1;
  };
  for (const row of wrong.keys()) copyUntil(row);
  copyUntil(rows);
  return { ...fields, rows: rows - wrong.size, starts, ends, placed: undefined };
}

function wrongType(name: string, cell: StrictType, type = ''): RowError {
  const bits = /\d+$/.exec(type)?.[0] ?? '64';
  const expected = { integer: `an integer of ${bits} bits`, float: 'a number', boolean: 'a boolean' };
  return { code: 'wrong_type', message: `the value of column "${sanitize(name)}" is not ${expected[cell]}` };
}
