// As `readDecimal` in src/formats/bytes/decimals.ts, for the fields of whole records.

const LF = 0x0a;
const CR = 0x0d;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const MAX_DIGITS = 15;

/** How far a text is read. */
@unmanaged
class Place {
  /** Offset of the next field. */
  at: i32;
  row: i32;
  column: i32;
}

/**
 * Reads the fields of records as numbers, column by column, up to the end of the text or the first field that is neither a plain
 * decimal, such as -12.5, nor empty, or that has another one before or after it than it should have.
 *
 * @param text whole records, the last byte of which is a line feed
 * @param place from where; then how far
 * @param values of the first column; that of each other one begins `step` values later
 * @param present whether a value is there, a byte for each
 * @param powers of ten, from 10^0 to 10^15
 */
export function readTable(
  text: usize,
  length: i32,
  place: usize,
  width: i32,
  delimiter: i32,
  values: usize,
  present: usize,
  step: i32,
  powers: usize,
): void {
  const state = changetype<Place>(place);
  const end = text + length;
  let at = text + state.at;
  let row = state.row;
  let column = state.column;
  while (at < end) {
    const start = at;
    const isNegative = load<u8>(at) === MINUS;
    if (isNegative) at++;
    const digitsStart = at;
    let number: i64 = 0;
    let point: usize = 0;
    let byte: i32;
    for (; ; at++) {
      byte = <i32>load<u8>(at);
      const digit = byte - ZERO;
      if (<u32>digit <= 9) number = 10 * number + digit;
      else if (byte === POINT && point === 0 && at > digitsStart) point = at;
      else break;
    }
    const fieldEnd = at;
    if (column + 1 === width && byte === CR) byte = <i32>load<u8>(++at);
    if (byte !== (column + 1 === width ? LF : delimiter)) break;
    const index = <usize>(column * step + row);
    if (fieldEnd === start) {
      // A blank line is no row, unless there is but one column.
      if (column === 0 && width > 1 && byte === LF) break;
      store<u8>(present + index, 0);
    } else {
      const digits = <i32>(fieldEnd - digitsStart) - (point === 0 ? 0 : 1);
      if (digits < 1 || digits > MAX_DIGITS || point === fieldEnd - 1) break;
      let value = <f64>number;
      if (point !== 0) value /= load<f64>(powers + ((fieldEnd - 1 - point) << 3));
      store<f64>(values + (index << 3), isNegative ? -value : value);
      store<u8>(present + index, 1);
    }
    at++;
    if (++column === width) {
      column = 0;
      row++;
    }
    state.at = <i32>(at - text);
  }
  state.row = row;
  state.column = column;
}
