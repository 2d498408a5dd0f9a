import { controlBytes, copyBytes, matches, repeatByte, type WordView } from '../bytes/word-view.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const CAPITAL_E = 0x45;
const SMALL_E = 0x65;
/** Control characters are escaped (RFC 8259 section 7). */
const FIRST_PRINTABLE = 0x20;

/** Maximum size of an escaped byte: `\u0000`. */
export const MAX_ESCAPED_BYTES = 6;

/** A double holds every integer of 15 digits, and not every one of 16 (IEEE 754 binary64). */
const MAX_DIGITS = 15;

/** Every number of fewer digits, without an exponent, is finite as a double. */
const FINITE_DIGITS = 300;

const QUOTES = repeatByte(QUOTE);
const BACKSLASHES = repeatByte(BACKSLASH);

/**
 * Writes the UTF-8 text `from[start, end)` as a JSON string, exactly as `JSON.stringify` does.
 *
 * @returns the offset after the last byte written
 */
export function writeText(out: WordView, to: number, from: WordView, start: number, end: number): number {
  const { view } = out;
  const { view: source } = from;
  let at = to;
  view.setUint8(at++, QUOTE);
  let index = start;
  while (index < end) {
    if (index + 4 <= end) {
      const word = source.getInt32(index, true);
      if ((controlBytes(word) | matches(word, QUOTES) | matches(word, BACKSLASHES)) === 0) {
        view.setInt32(at, word, true);
        index += 4;
        at += 4;
        continue;
      }
    }
    const byte = source.getUint8(index++);
    if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === BACKSLASH) {
      const escaped = JSON.stringify(String.fromCharCode(byte)).slice(1, -1);
      at += out.bytes.write(escaped, at, 'latin1');
    } else view.setUint8(at++, byte);
  }
  view.setUint8(at++, QUOTE);
  return at;
}

/**
 * Writes a number `from[start, end)` that may lack what JSON requires, or have what it forbids: 007 and .5 become 7 and
 * 0.5. Any other is written verbatim.
 *
 * @returns the offset after the last byte written
 */
export function writeNumber(out: WordView, to: number, from: WordView, start: number, end: number): number {
  const { view: source } = from;
  let at = to;
  let index = start;
  if (source.getUint8(index) === MINUS) {
    out.view.setUint8(at++, MINUS);
    index++;
  }
  while (index + 1 < end && source.getUint8(index) === ZERO && isDigit(source.getUint8(index + 1))) index++;
  if (source.getUint8(index) === POINT) out.view.setUint8(at++, ZERO);
  return copyBytes(from, index, end, out, at);
}

/**
 * Whether `bytes[start, end)` is a JSON number that can be sent without loss: integers of more than 15 digits cannot.
 *
 * @param mustBeFinite whether a double must be able to hold it; without that, 1e400 is a number
 */
export function isNumber(bytes: Buffer, start: number, end: number, mustBeFinite = false): boolean {
  const integer = bytes[start] === MINUS ? start + 1 : start;
  const after = integerEnd(bytes, integer, end);
  if (after === end) return end > integer && end - integer <= MAX_DIGITS;
  if (numberEnd(bytes, start, end) !== end) return false;
  if (!mustBeFinite) return true;
  const hasExponent = !bytes.subarray(start, end).every(byte => byte <= NINE);
  return hasExponent
    ? Number.isFinite(Number(bytes.toString('latin1', start, end)))
    : end - start <= FINITE_DIGITS;
}

/** Offset after the JSON number (RFC 8259 section 6) that begins at `start`; -1 if there is none. */
export function numberEnd(bytes: Uint8Array, start: number, end: number): number {
  const integer = bytes[start] === MINUS ? start + 1 : start;
  let at = integerEnd(bytes, integer, end);
  if (at === integer) return -1;
  if (at < end && bytes[at] === POINT) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction, end);
    if (at === fraction) return -1;
  }
  if (at < end && (bytes[at] === SMALL_E || bytes[at] === CAPITAL_E)) {
    at++;
    if (at < end && (bytes[at] === PLUS || bytes[at] === MINUS)) at++;
    const exponent = at;
    at = digitsEnd(bytes, exponent, end);
    if (at === exponent) return -1;
  }
  return at;
}

/** Where an integer ends that has no zero before other digits. */
const integerEnd = (bytes: Uint8Array, start: number, end: number): number =>
  start < end && bytes[start] === ZERO ? start + 1 : digitsEnd(bytes, start, end);

const isDigit = (byte: number): boolean => byte >= ZERO && byte <= NINE;

function digitsEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) break;
  }
  return at;
}

/** A field that is not missing as a JSON value, by the rules of `client/bodies/cells.ts`. */
export function encodeValue(field: string, type: string | undefined): string {
  const bytes = Buffer.from(field);
  return isText(type) || !isNumber(bytes, 0, bytes.length) ? JSON.stringify(field) : field;
}

/** Whether the values of a column are strings, whatever they look like. */
export const isText = (type: string | undefined): boolean => type === 'categorical' || type === 'text';
