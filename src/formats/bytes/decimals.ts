import type { WordView } from './word-view.ts';

/** The longest text of a double in 0..1: 17 digits after `0.00000` (ECMA-262 Number::toString). */
export const MAX_DECIMAL_BYTES = 24;

const ZERO = 0x30;
/** `0.` as a little-endian word. */
const ZERO_POINT = 0x2e30;
/** `00` to `99` as little-endian words. */
const PAIRS = Uint16Array.from(
  { length: 100 },
  (_, value) => (ZERO + Math.floor(value / 10)) | ((ZERO + (value % 10)) << 8),
);
/** String() writes smaller numbers with an exponent. */
const LEAST_PLAIN = 1e-6;

/**
 * Writes a probability exactly as `String(probability)` does, in a quarter of the time if it has at most 15 decimals:
 * a double has at most one decimal of up to 15 digits, and that is its shortest text.
 *
 * @param into has at least MAX_DECIMAL_BYTES from `at` on
 * @returns the offset after the last byte written
 */
export function writeDecimal(probability: number, into: WordView, at: number): number {
  const { view } = into;
  if (probability >= LEAST_PLAIN && probability < 1) {
    // An exact integer divided by an exact power of ten is rounded only once (Clinger 1990).
    const eight = Math.round(probability * 1e8);
    if (eight / 1e8 === probability) {
      view.setUint16(at, ZERO_POINT, true);
      writeEightDigits(eight, view, at + 2);
      return withoutZeros(view, at + 10);
    }
    const fifteen = Math.round(probability * 1e15);
    if (fifteen / 1e15 === probability) {
      const high = Math.floor(fifteen / 1e8);
      writeEightDigits(high, view, at + 1);
      writeEightDigits(fifteen - high * 1e8, view, at + 9);
      view.setUint16(at, ZERO_POINT, true); // over the first of the 16 digits, which is 0
      return withoutZeros(view, at + 17);
    }
  }
  const text = String(probability);
  let offset = at;
  for (let place = 0; place < text.length; place++) view.setUint8(offset++, text.charCodeAt(place));
  return offset;
}

function writeEightDigits(value: number, view: DataView, at: number): void {
  const whole = value | 0;
  const high = (whole / 10_000) | 0;
  const low = (whole - high * 10_000) | 0;
  writeFourDigits(high, view, at);
  writeFourDigits(low, view, at + 4);
}

function writeFourDigits(value: number, view: DataView, at: number): void {
  const high = (value / 100) | 0;
  view.setUint16(at, PAIRS[high] as number, true); // both are below 100
  view.setUint16(at + 2, PAIRS[value - high * 100] as number, true);
}

/** The end of a decimal that ends there, without the zeros at its end. */
function withoutZeros(view: DataView, end: number): number {
  let last = end - 1;
  while (view.getUint8(last) === ZERO) last--;
  return last + 1;
}

const [MINUS, POINT, NINE] = [0x2d, 0x2e, 0x39];
/** All integers of so many digits are doubles. */
const DIGITS = 15;
/** Those that are doubles: 10^0 to 10^22. */
export const POWERS_OF_TEN = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/**
 * Reads a number of up to 15 digits, perhaps with a sign and a point: an integer and a power of ten that doubles have
 * exactly, whose quotient is therefore the nearest double (W. D. Clinger, How to read floating point numbers
 * accurately, 1990).
 *
 * @returns NaN for any other text
 */
export function readDecimal(bytes: Uint8Array, start: number, end: number): number {
  const isNegative = bytes[start] === MINUS;
  let digits = 0;
  let value = 0;
  let point = -1;
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === POINT && point === -1 && digits > 0) point = at;
    else if (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO);
      digits++;
    } else return Number.NaN;
  }
  if (digits === 0 || digits > DIGITS || point === end - 1) return Number.NaN;
  const number = point === -1 ? value : value / (POWERS_OF_TEN[end - 1 - point] as number);
  return isNegative ? -number : number;
}
