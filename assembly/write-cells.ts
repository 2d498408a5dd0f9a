// As `#writeRow` in src/formats/parquet/text/group-text.ts.

import { copy } from './write-value';

/** The values of a column in a block of rows, as cells of a text. */
@unmanaged
class Column {
  /** The index of the cell of each row, negative if its value is missing; 0 if cell i is that of row i. */
  codes: usize;
  bytes: usize;
  /** Offsets of the cells in their bytes; a negative one is that of a missing value. */
  starts: usize;
  ends: usize;
  /** What is written before each cell. */
  open: usize;
  openLength: i32;
}

const COLUMN_BYTES = 24;
/** `copy` writes as many bytes more. */
const EXCESS = 16;

/**
 * Writes the cells of rows as records, from row `first` on. As many bytes may be read behind every text as a vector has.
 *
 * @param columns a `Column` for each
 * @param missing what is written in the place of a missing value, and `close` what is written after the last cell
 * @param out where the records are written, as far as they end before `outEnd`
 * @param recordEnds where the offset at which a record ends is written, for each one
 * @returns the first row that is not written
 */
export function writeCells(
  columns: usize,
  width: i32,
  first: i32,
  rows: i32,
  missing: usize,
  missingLength: i32,
  close: usize,
  closeLength: i32,
  out: usize,
  outEnd: usize,
  recordEnds: usize,
): i32 {
  const end = columns + <usize>(width * COLUMN_BYTES);
  let at = out;
  for (let row = first; row < rows; row++) {
    for (let address = columns; address < end; address += COLUMN_BYTES) {
      const column = changetype<Column>(address);
      const index = column.codes === 0 ? row : load<i32>(column.codes + ((<usize>row) << 2));
      const start = index < 0 ? -1 : load<i32>(column.starts + ((<usize>index) << 2));
      const length = start < 0 ? missingLength : load<i32>(column.ends + ((<usize>index) << 2)) - start;
      if (at + column.openLength + length + closeLength + 2 * EXCESS > outEnd) return row;
      at = copy(column.open, column.openLength, at);
      at = copy(start < 0 ? missing : column.bytes + start, length, at);
    }
    at = copy(close, closeLength, at);
    store<i32>(recordEnds, <i32>(at - out));
    recordEnds += 4;
  }
  return rows;
}
