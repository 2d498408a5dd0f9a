import { sanitize } from '../../base/sanitize.ts';
import type { Fields, Without } from '../../formats/records/fields.ts';
import {
  type CellType,
  type IntegerRange,
  integerRange,
  isStrict,
  missingIn,
  type SentValues,
  type StrictType,
} from './cells.ts';

const [SPACE, TAB, MINUS, PLUS, POINT, ZERO, ONE, NINE] = [0x20, 0x09, 0x2d, 0x2b, 0x2e, 0x30, 0x31, 0x39];
const [SMALL_E, LOWER_CASE] = [0x65, 0x20];

/** A double holds every number of fewer digits than that, without an exponent. */
const SAFE_DIGITS = 300;

const words = ['true', 'false', 't', 'f'];

/**
 * Reads values of typed columns from their bytes. Spaces around a value do not belong to it. One object is used for
 * many, so that none is created for each.
 */
class CellScanner {
  /** Where the value that was read last begins and ends, once it fits: what is sent of it. */
  start = 0;
  end = 0;

  /** @returns whether there are only spaces, which is a missing value */
  trim(bytes: Buffer, start: number, end: number): boolean {
    let [from, to] = [start, end];
    while (from < to && isSpace(bytes[from])) from++;
    while (from < to && isSpace(bytes[to - 1])) to--;
    this.start = from;
    this.end = to;
    return from === to;
  }

  /** Whether the trimmed value is an integer of this range. A fraction of zeros, as pandas writes it, is left out. */
  integer(bytes: Buffer, range: IntegerRange): boolean {
    const { end } = this;
    const isNegative = bytes[this.start] === MINUS;
    const digits = this.#afterSign(bytes);
    const point = digitsEnd(bytes, digits, end);
    if (point === digits) return false;
    if (point < end) {
      if (bytes[point] !== POINT) return false;
      let zeros = point + 1;
      while (zeros < end && bytes[zeros] === ZERO) zeros++;
      if (zeros < end) return false;
      this.end = point;
    }
    const limit = isNegative ? range.min : range.max;
    if (point - digits < limit.length) return true;
    const significant = bytes.toString('latin1', digits, point).replace(/^0+/, '');
    return significant.length < limit.length || (significant.length === limit.length && significant <= limit);
  }

  /** Whether the trimmed value is a number that a double can hold. A point without digits behind it is left out. */
  float(bytes: Buffer): boolean {
    const { end } = this;
    const digits = this.#afterSign(bytes);
    let at = digitsEnd(bytes, digits, end);
    let hasDigits = at > digits;
    if (bytes[at] === POINT && at < end) {
      const fraction = at + 1;
      at = digitsEnd(bytes, fraction, end);
      if (at > fraction) hasDigits = true;
      else if (at === end) this.end = fraction - 1;
      else return false;
    }
    if (!hasDigits) return false;
    if (at === end) return at - digits < SAFE_DIGITS || this.#isFinite(bytes);
    if (((bytes[at] ?? 0) | LOWER_CASE) !== SMALL_E) return false;
    at++;
    if (at < end && (bytes[at] === PLUS || bytes[at] === MINUS)) at++;
    const exponent = at;
    at = digitsEnd(bytes, exponent, end);
    return at > exponent && at === end && this.#isFinite(bytes);
  }

  /** Whether the trimmed value is `true`, `false`, `t`, `f`, in any case, or `1` or `0`. */
  boolean(bytes: Buffer): boolean {
    const { start, end } = this;
    if (end - start === 1 && (bytes[start] === ZERO || bytes[start] === ONE)) return true;
    return end - start <= 5 && words.includes(bytes.toString('latin1', start, end).toLowerCase());
  }

  /** Leaves out a plus, which JSON numbers do not have. @returns where the digits begin */
  #afterSign(bytes: Buffer): number {
    if (bytes[this.start] === MINUS) return this.start + 1;
    if (bytes[this.start] === PLUS) this.start++;
    return this.start;
  }

  #isFinite(bytes: Buffer): boolean {
    return Number.isFinite(Number(bytes.toString('latin1', this.start, this.end)));
  }
}

const isSpace = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;

function digitsEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) break;
  }
  return at;
}

/** Why a row is not sent. */
export interface RowError {
  readonly code: 'wrong_type' | Without['code'];
  /** Names the column, and never the value. */
  readonly message: string;
}

/**
 * Adds the rows of a batch with a value that does not fit the type of its column: one such value makes a server fail
 * for the whole batch. It depends on nothing but the values, so a row is rejected again after a retry, in a half of its
 * batch, or in a run that is resumed.
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
