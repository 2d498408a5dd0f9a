/** Powers of ten that a double has exactly. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
const [MINUS, POINT, ZERO, NINE] = [0x2d, 0x2e, 0x30, 0x39];
/** All integers of so many digits are doubles. */
const DIGITS = 15;

/**
 * Reads a number of up to 15 digits, perhaps with a sign and a point: an integer and a power of ten that doubles have exactly,
 * whose quotient is therefore the nearest double (W. D. Clinger, How to read floating point numbers accurately, 1990).
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
  const number = point === -1 ? value : value / (POWERS[end - 1 - point] as number);
  return isNegative ? -number : number;
}
