import { countMissing } from './unrecognized';

const MINUS = 0x2d;
const ZERO = 0x30;
/** As `DIGITS` in src/formats/bytes/decimals.ts: an exact integer divided by an exact power of ten is rounded only once. */
const MAX_DIGITS = 15;
/** So many digits, from the first that is not zero, are an integer of 64 bits; and 10^22 is an exact double. */
const MAX_LONG_DIGITS = 19;
const MAX_DECIMALS = 22;

/**
 * Writes the numbers of a column's fields, from row `first` on: plain decimals, such as 12 and -0.75; NaN for an empty one.
 *
 * @param starts and `ends`: the offsets of the column's field in row 0, and in the others in steps of `fieldStep`
 * @param values where the number of row 0 is written, and those of the others in steps of `valueStep`
 * @param powers of ten, from 10^0 to 10^22
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
      if (digits < 1) return row;
      let value = <f64>number;
      if (digits <= MAX_DIGITS) {
        if (point !== 0) value /= load<f64>(powers + ((end - 1 - point) << 3));
      } else {
        const decimals = point === 0 ? 0 : <i32>(end - 1 - point);
        if (decimals > MAX_DECIMALS || digits - leadingZeros(start, end) > MAX_LONG_DIGITS) return row;
        value = quotient(<u64>number, load<f64>(powers + ((<usize>decimals) << 3)));
        if (isNaN(value)) return row;
      }
      store<f64>(values, isNegative ? -value : value);
    }
    starts += fieldStep;
    ends += fieldStep;
    values += valueStep;
  }
  return rows;
}

/** The number of digits before the first that is not zero. */
function leadingZeros(start: usize, end: usize): i32 {
  let zeros = 0;
  for (let at = start; at < end; at++) {
    const byte = <i32>load<u8>(at);
    if (byte === ZERO) zeros++;
    else if (byte > ZERO && byte <= ZERO + 9) break;
  }
  return zeros;
}

/** Halves a double: the product of two halves is exact (Dekker 1971). */
const SPLITTER: f64 = 134_217_729;
/** More than all that is lost in `quotient`. */
const UNSURE: f64 = 1e-14;

/** The double nearest to a quotient; NaN if it is too near to the middle of two doubles. */
function quotient(number: u64, power: f64): f64 {
  const high = <f64>number;
  const low = <f64>(<i64>(number - <u64>high));
  const first = high / power;
  const product = first * power;
  const firstHigh = highHalf(first);
  const powerHigh = highHalf(power);
  const firstLow = first - firstHigh;
  const powerLow = power - powerHigh;
  const lost =
    firstHigh * powerHigh - product + firstHigh * powerLow + firstLow * powerHigh + firstLow * powerLow;
  const rest = (high - product - lost + low) / power;
  const value = first + rest * (1 + UNSURE);
  return value === first + rest * (1 - UNSURE) ? value : NaN;
}

function highHalf(value: f64): f64 {
  const large = SPLITTER * value;
  return large - (large - value);
}
