// As src/formats/json/write-bytes.ts and src/client/bodies/body-writer.ts.

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const SMALL_E = 0x65;
const LOWER_CASE = 0x20;
const FIRST_PRINTABLE = 0x20;
const LANES = 16;

/** Integers of more digits are not sent as numbers. */
const MAX_DIGITS = 15;
/** Every number of fewer digits, without an exponent, is finite as a double. */
const FINITE_DIGITS = 300;

/** What a field is as a JSON number. */
export const NO_NUMBER = 0;
export const NUMBER = 1;
/** It is one, but perhaps not as a double. */
export const PERHAPS_INFINITE = 2;

/** Copies more than asked for, up to a multiple of a vector. @returns the address after the last byte asked for */
export function copy(from: usize, length: i32, to: usize): usize {
  for (let i = 0; i < length; i += LANES) v128.store(to + i, v128.load(from + i));
  return to + length;
}

/** A bit for each of the next `left` bytes that is a control character, a quote or the `other` byte. */
export function specialBytes(text: v128, other: i32, left: i32): i32 {
  const found = i8x16.bitmask(
    v128.or(
      i8x16.lt_u(text, i8x16.splat(<i8>FIRST_PRINTABLE)),
      v128.or(i8x16.eq(text, i8x16.splat(<i8>QUOTE)), i8x16.eq(text, i8x16.splat(<i8>other))),
    ),
  );
  return left < LANES ? found & ((1 << left) - 1) : found;
}

/**
 * Writes a text as a JSON string. As many bytes may be read behind it, and written behind the string, as a vector has.
 *
 * @returns the address after the string; 0 if it has a control character that needs more than a letter
 */
export function writeText(from: usize, length: i32, to: usize): usize {
  store<u8>(to++, QUOTE);
  const end = from + length;
  while (from < end) {
    const left = <i32>(end - from);
    const text = v128.load(from);
    v128.store(to, text);
    const found = specialBytes(text, BACKSLASH, left);
    if (found === 0) {
      const size = left < LANES ? left : LANES;
      from += size;
      to += size;
      continue;
    }
    const plain = ctz(found);
    from += plain;
    to += plain;
    const letter = escapeOf(<i32>load<u8>(from++));
    if (letter === 0) return 0;
    store<u8>(to, BACKSLASH);
    store<u8>(to, letter, 1);
    to += 2;
  }
  store<u8>(to, QUOTE);
  return to + 1;
}

/** The letter of a short escape (RFC 8259 section 7); 0 if there is none. */
function escapeOf(byte: i32): u8 {
  switch (byte) {
    case QUOTE:
    case BACKSLASH:
      return <u8>byte;
    case 0x08:
      return 0x62; // b
    case 0x09:
      return 0x74; // t
    case 0x0a:
      return 0x6e; // n
    case 0x0c:
      return 0x66; // f
    case 0x0d:
      return 0x72; // r
    default:
      return 0;
  }
}

/** Writes a field of a CSV, in quotes only if it needs them. @returns the address after it */
export function writeField(from: usize, length: i32, to: usize): usize {
  let isPlain = true;
  for (let at = 0; at < length && isPlain; at += LANES)
    isPlain = specialBytes(v128.load(from + at), COMMA, length - at) === 0;
  if (isPlain) return copy(from, length, to);
  store<u8>(to++, QUOTE);
  for (let at = 0; at < length; at++) {
    const byte = load<u8>(from + at);
    if (byte === QUOTE) store<u8>(to++, QUOTE);
    store<u8>(to++, byte);
  }
  store<u8>(to, QUOTE);
  return to + 1;
}

/** Writes a number that may lack what JSON requires, or have what it forbids. @returns the address after it */
export function writeNumber(from: usize, length: i32, to: usize): usize {
  const end = from + length;
  if (load<u8>(from) === MINUS) {
    store<u8>(to++, MINUS);
    from++;
  }
  while (from + 1 < end && load<u8>(from) === ZERO && isDigit(from + 1)) from++;
  if (load<u8>(from) === POINT) store<u8>(to++, ZERO);
  return copy(from, <i32>(end - from), to);
}

/** Whether a field is a JSON number that can be sent without loss. */
export function numberOf(from: usize, length: i32): i32 {
  const end = from + length;
  let at = load<u8>(from) === MINUS ? from + 1 : from;
  const integer = at;
  if (at < end && load<u8>(at) === ZERO) at++;
  else at = digitsEnd(at, end);
  if (at === integer) return NO_NUMBER;
  if (at === end) return <i32>(at - integer) <= MAX_DIGITS ? NUMBER : NO_NUMBER;
  if (load<u8>(at) === POINT) {
    const fraction = at + 1;
    at = digitsEnd(fraction, end);
    if (at === fraction) return NO_NUMBER;
  }
  if (at === end) return length > FINITE_DIGITS ? PERHAPS_INFINITE : NUMBER;
  if ((<i32>load<u8>(at) | LOWER_CASE) !== SMALL_E) return NO_NUMBER;
  at++;
  if (at < end && (load<u8>(at) === PLUS || load<u8>(at) === MINUS)) at++;
  const exponent = at;
  at = digitsEnd(at, end);
  return at > exponent && at === end ? PERHAPS_INFINITE : NO_NUMBER;
}

function isDigit(at: usize): bool {
  return <u32>load<u8>(at) - ZERO <= 9;
}

function digitsEnd(from: usize, end: usize): usize {
  let at = from;
  while (at < end && isDigit(at)) at++;
  return at;
}
