import { noValues, type unknownColumns } from '../../base/contract/predictions.ts';
import type { Kernel } from '../../base/kernel/kernel.ts';
import type { Batch } from './batch.ts';
import type { Fault } from './faults.ts';

/** Addresses of a batch in the memory of a kernel. */
export interface PlacedRecords {
  readonly kernel: Kernel;
  readonly bytes: number;
  /** The batch's `ends`. */
  readonly recordEnds: number;
  readonly kinds: number;
}

/** Why a row has nothing that can be scored. */
export type Without = typeof unknownColumns | typeof noValues;

/** Offsets of the fields of a batch. Fields are decoded only on demand. */
export interface Fields {
  /** Number of valid records; blank lines and malformed records have no fields. */
  readonly rows: number;
  /** Number of fields in each. */
  readonly width: number;
  /** The bytes of the batch, followed by the fields that had to be unescaped. */
  readonly bytes: Buffer;
  /** Field f of row r is `bytes[starts[r * width + f], ends[r * width + f])`; overwritten by the next read. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Whether values have types of their own: a field after a quote is a text, even an empty one. */
  readonly isTyped?: boolean;
  /** Where the batch is, if it and its fields are in the memory of a kernel. */
  readonly placed?: PlacedRecords | undefined;
  /**
   * The rows that cannot be scored by these columns, and why; in order: those of records that name their own columns,
   * and none of these, and those of a file that is not text without any value.
   */
  readonly rowsWithout?: ((columns: readonly number[]) => ReadonlyMap<number, Without>) | undefined;
  /** The names of values that no column has, in the records so far that name their own. */
  readonly otherNames?: (() => string[]) | undefined;
  /** Index of a malformed record → what is wrong with it, in order. */
  readonly faults: ReadonlyMap<number, Fault>;
}

/** A field of a row as text. */
export function textOf(
  { width, bytes, starts, ends }: Pick<Fields, 'width' | 'bytes' | 'starts' | 'ends'>,
  row: number,
  field: number,
): string {
  const index = row * width + field;
  return bytes.toString('utf8', starts[index], ends[index]);
}

/** The fields of a row as text. */
export function textsOf(fields: Fields, row: number): string[] {
  return Array.from({ length: fields.width }, (_, field) => textOf(fields, row, field));
}

/** The bytes of `NaN`. */
const NAN = Buffer.of(0x4e, 0x61, 0x4e);

/**
 * Finds fields in the text of a file that says what its columns are: in one of floats, NaN is a missing value. A row
 * without any value cannot be scored, as a record of a CSV, but is one: a copy of the file has it.
 *
 * @param types of the columns; by default nothing says what they are
 * @param hasOthers whether such a row has a value in a column that is not in the text
 */
export function typedFieldReader(
  read: (batch: Batch) => Fields,
  types: readonly (string | undefined)[] | undefined,
  hasOthers: boolean,
): (batch: Batch) => Fields {
  const floats = types?.flatMap((type, column) => (type === 'float' ? [column] : [])) ?? [];
  if (types === undefined) return read;
  return batch => {
    const fields = read(batch);
    if (floats.length > 0 && fields.bytes.includes(NAN)) for (const column of floats) clear(fields, column);
    return { ...fields, rowsWithout: hasOthers ? undefined : () => withoutValue(fields) };
  };
}

function withoutValue({ rows, width, starts, ends }: Fields): ReadonlyMap<number, Without> {
  const found = new Map<number, Without>();
  for (let row = 0, first = 0; row < rows; row++, first += width) {
    let at = first;
    while (at < first + width && starts[at] === ends[at]) at++;
    if (at === first + width) found.set(row, noValues);
  }
  return found;
}

function clear({ rows, width, bytes, starts, ends }: Fields, column: number): void {
  for (let row = 0, at = column; row < rows; row++, at += width) {
    const start = starts[at] ?? 0;
    if ((ends[at] ?? 0) - start !== NAN.length || bytes.compare(NAN, 0, NAN.length, start, ends[at]) !== 0)
      continue;
    starts[at] = 0;
    ends[at] = 0;
  }
}
