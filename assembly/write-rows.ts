// As src/client/bodies/rows-writer.ts, for rows that need nothing unusual.

import {
  copy,
  NO_NUMBER,
  NUMBER,
  numberOf,
  PERHAPS_INFINITE,
  writeField,
  writeNumber,
  writeText,
} from './write-value';

/** The members of `cellKinds` in src/client/bodies/rows-writer.ts. */
const REPORT_JSON = 0;
const ANY = 1;
const TEXT = 2;
const NUMERIC = 3;
const BOOLEAN = 4;
const FIELD = 5;

const ONE = 0x31;
const SMALL_T = 0x74;
const LOWER_CASE = 0x20;
/** Behind what is written, as much again may be overwritten as a vector has; and a value may be between quotes. */
const MARGIN = 32;

@unmanaged
class Text {
  bytes: usize;
  length: i32;
}

/** How the value of one column is written. The texts of a value and of what is before it begin with a separator. */
@unmanaged
class Cell {
  /** From the offset of a row's first field to that of this one, in bytes. */
  offset: i32;
  kind: i32;
  openingBytes: usize;
  openingLength: i32;
  missingBytes: usize;
  /** -1 if a missing value is left out. */
  missingLength: i32;
  trueBytes: usize;
  trueLength: i32;
  falseBytes: usize;
  falseLength: i32;
}

@unmanaged
class Layout {
  betweenBytes: usize;
  betweenLength: i32;
  openingBytes: usize;
  openingLength: i32;
  closingBytes: usize;
  closingLength: i32;
  cells: usize;
  cellCount: i32;
  /** The texts of missing values, besides the empty one. */
  nulls: usize;
  nullCount: i32;
  /** The most bytes that a row takes besides its values. */
  maxTextBytes: i32;
}

/** The size of what `writeRows` has written. */
export let written: i32 = 0;

/**
 * Writes rows `[first, rows)` to `out`, as long as there is room.
 *
 * @param starts and `ends`: the offsets of the fields of row 0, which are `rowStep` bytes before those of the next
 * @returns the first row for which there is no room, or that needs something unusual
 */
export function writeRows(
  bytes: usize,
  starts: usize,
  ends: usize,
  rowStep: i32,
  first: i32,
  rows: i32,
  layout: usize,
  out: usize,
  outBytes: i32,
): i32 {
  const rowLayout = changetype<Layout>(layout);
  const cells = rowLayout.cells;
  const cellCount = rowLayout.cellCount;
  const limit = out + outBytes - rowLayout.maxTextBytes - MARGIN;
  starts += <usize>first * rowStep;
  ends += <usize>first * rowStep;
  let done = out;
  let row = first;
  for (; row < rows && done < limit; row++) {
    let at = done;
    if (row > 0) at = copy(rowLayout.betweenBytes, rowLayout.betweenLength, at);
    at = copy(rowLayout.openingBytes, rowLayout.openingLength, at);
    /** 1 before the first cell that is written, which has no separator. */
    let skipped: i32 = 1;
    for (let i = 0; i < cellCount; i++) {
      const cell = changetype<Cell>(cells + <usize>i * offsetof<Cell>());
      const start = load<i32>(starts + cell.offset);
      const length = load<i32>(ends + cell.offset) - start;
      const from = bytes + start;
      if (length === 0 || isNull(rowLayout, from, length)) {
        if (cell.missingLength < 0) continue;
        at = copy(cell.missingBytes + skipped, cell.missingLength - skipped, at);
      } else {
        // Every byte may need another one before it.
        if (at + 2 * <usize>length >= limit) at = 0;
        else at = writeCell(cell, from, length, at, skipped);
        if (at === 0) break;
      }
      skipped = 0;
    }
    if (at === 0) break;
    done = copy(rowLayout.closingBytes, rowLayout.closingLength, at);
    starts += rowStep;
    ends += rowStep;
  }
  written = <i32>(done - out);
  return row;
}

/** @returns 0 if the value needs something unusual */
function writeCell(cell: Cell, from: usize, length: i32, to: usize, skipped: i32): usize {
  const kind = cell.kind;
  if (kind === BOOLEAN)
    return isTrue(<i32>load<u8>(from))
      ? copy(cell.trueBytes + skipped, cell.trueLength - skipped, to)
      : copy(cell.falseBytes + skipped, cell.falseLength - skipped, to);
  const at = copy(cell.openingBytes + skipped, cell.openingLength - skipped, to);
  switch (kind) {
    case REPORT_JSON:
      return numberOf(from, length) === NO_NUMBER ? writeText(from, length, at) : copy(from, length, at);
    case ANY: {
      const number = numberOf(from, length);
      if (number === PERHAPS_INFINITE) return 0;
      return number === NUMBER ? writeNumber(from, length, at) : writeText(from, length, at);
    }
    case TEXT:
      return writeText(from, length, at);
    case NUMERIC:
      return writeNumber(from, length, at);
    case FIELD:
      return writeField(from, length, at);
    default:
      return 0;
  }
}

function isTrue(first: i32): bool {
  return first === ONE || (first | LOWER_CASE) === SMALL_T;
}

function isNull(layout: Layout, from: usize, length: i32): bool {
  for (let i = 0; i < layout.nullCount; i++) {
    const text = changetype<Text>(layout.nulls + <usize>i * offsetof<Text>());
    if (text.length === length && memory.compare(text.bytes, from, length) === 0) return true;
  }
  return false;
}
