import { countMissing } from './unrecognized';

const MINUS = 0x2d;
const ZERO = 0x30;
/** As `DIGITS` in src/formats/bytes/decimals.ts. */
const MAX_DIGITS = 15;

/**
 * Writes the numbers of a column's fields, from row `first` on: plain decimals, such as 12 and -0.75; NaN for an empty one.
 *
 * @param starts and `ends`: the offsets of the column's field in row 0, and in the others in steps of `fieldStep`
 * @param values where the number of row 0 is written, and those of the others in steps of `valueStep`
 * @param powers of ten, from 10^0 to 10^15
 * @returns the first row with anything else
 */
export function readNumbers(
  bytes: usize,
  starts: usize,
  ends: usize,
  fieldStep: i32,
  values: usize,
  valueStep: i32,
  first: i32,
  rows: i32,
  separator: i32,
  powers: usize,
): i32 {
  starts += <usize>first * fieldStep;
  ends += <usize>first * fieldStep;
  values += <usize>first * valueStep;
  for (let row = first; row < rows; row++) {
    let at = bytes + load<i32>(starts);
    const end = bytes + load<i32>(ends);
    if (at === end) {
      countMissing();
      store<f64>(values, NaN);
    } else {
      const isNegative = load<u8>(at) === MINUS;
      if (isNegative) at++;
      const start = at;
      let number: i64 = 0;
      let point: usize = 0;
      for (; at < end; at++) {
        const byte = <i32>load<u8>(at);
        const digit = byte - ZERO;
        if (<u32>digit <= 9) number = 10 * number + digit;
        else if (byte === separator && point === 0) point = at;
        else return row;
      }
      const digits = <i32>(end - start) - (point === 0 ? 0 : 1);
      if (digits < 1 || digits > MAX_DIGITS) return row;
      let value = <f64>number;
      if (point !== 0) value /= load<f64>(powers + ((end - 1 - point) << 3));
      store<f64>(values, isNegative ? -value : value);
    }
    starts += fieldStep;
    ends += fieldStep;
    values += valueStep;
  }
  return rows;
}
