// As src/server/predict/encode-personas.ts, for personas with the same members in the same order, and nothing unusual.

import { isEqual } from './is-equal';
import { NO_NUMBER, numberOf, specialBytes } from './write-value';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const SMALL_A = 0x61;
const SMALL_F = 0x66;
const SMALL_U = 0x75;
const BRACE = 0x7d;
const LOWER_CASE = 0x20;
const LANES = 16;
/** `\\u` as a little-endian word, and where surrogates and their second halves begin. */
const BACKSLASH_U = 0x755c;
const SURROGATE = 0xd800;
const LOW_SURROGATE = 0xdc00;
/** `null` and `true` as little-endian words. */
const NULL = 0x6c6c756e;
const TRUE = 0x65757274;
/** `alse` of `false`. */
const ALSE = 0x65736c61;
/** Integers of so many digits are the same as numbers and as texts. */
const MAX_DIGITS = 15;

@unmanaged
class Member {
  /** The name with its quotes, and a colon. */
  name: usize;
  length: i32;
  /** From the offset of a row's first field to that of this one, in bytes; -1 if nobody asks for the value. */
  offset: i32;
  /** Whether the value is taken as a text, so that a number must be written as JavaScript writes it. */
  isText: i32;
}

@unmanaged
class Template {
  /** What is before the first member of each persona. */
  opening: usize;
  openingLength: i32;
  members: usize;
  memberCount: i32;
}

/** Where the last persona ends that was found. */
export let foundTo: i32 = 0;

/**
 * Finds the values of personas, one after the other with commas between them, and writes the offsets of each as a field: of
 * the text of a string, whose escapes are replaced where it is, or of a number; nothing for null.
 *
 * @param bytes zeros behind them, as many as a vector has
 * @param at where the first persona begins, and `last` before which others must begin
 * @param template a `Template`
 * @param starts and `ends`: where the offsets of the first row are written, which are `rowStep` bytes before those of the next
 * @returns how many personas were found, up to `rows`
 */
export function findPersonas(
  bytes: usize,
  at: i32,
  last: i32,
  template: usize,
  starts: usize,
  ends: usize,
  rowStep: i32,
  rows: i32,
): i32 {
  const expected = changetype<Template>(template);
  let row = 0;
  while (row < rows && at < last) {
    const end = findMembers(bytes, at, expected, starts, ends);
    if (end < 0) break;
    row++;
    foundTo = end;
    if (load<u8>(bytes + end) !== COMMA) break;
    at = end + 1;
    starts += rowStep;
    ends += rowStep;
  }
  return row;
}

/** @returns the offset after the persona; -1 if it is not as expected */
function findMembers(bytes: usize, at: i32, template: Template, starts: usize, ends: usize): i32 {
  if (!isEqual(bytes + at, template.opening, template.openingLength)) return -1;
  at += template.openingLength;
  const count = template.memberCount;
  for (let i = 0; i < count; i++) {
    const member = changetype<Member>(template.members + <usize>i * offsetof<Member>());
    if (i > 0 && load<u8>(bytes + at++) !== COMMA) return -1;
    if (!isEqual(bytes + at, member.name, member.length)) return -1;
    at += member.length;
    const first = <i32>load<u8>(bytes + at);
    let start = at;
    let end = at;
    if (first === QUOTE) {
      start++;
      at = stringEnd(bytes, start) + 1;
      if (at === 0) return -1;
      end = textEnd;
    } else if (first === MINUS || (first >= ZERO && first <= NINE)) {
      end = numberEnd(bytes, at);
      const length = end - at;
      if (member.isText ? !isWhole(bytes + at, length) : numberOf(bytes + at, length) === NO_NUMBER)
        return -1;
      at = end;
    } else {
      const word = load<i32>(bytes + at);
      if (word === NULL) at += 4;
      else if (member.offset >= 0) return -1;
      else if (word === TRUE) at += 4;
      else if (first === SMALL_F && load<i32>(bytes + at, 1) === ALSE) at += 5;
      else return -1;
      end = start;
    }
    if (member.offset < 0) continue;
    store<i32>(starts + member.offset, start);
    store<i32>(ends + member.offset, end);
  }
  const closing = bytes + at;
  return load<u8>(closing) === BRACE && load<u8>(closing, 1) === BRACE ? at + 2 : -1;
}

/** Where the text of the string ends that was read last: before its closing quote, if it had escapes. */
let textEnd: i32 = 0;

/** Replaces the escapes of a string. @returns the offset of the closing quote; -1 if there is an error, or half of a surrogate pair */
function stringEnd(bytes: usize, start: i32): i32 {
  let at = start;
  let to = start;
  while (true) {
    const found = specialBytes(v128.load(bytes + at), BACKSLASH, LANES);
    const plain = found === 0 ? LANES : ctz(found);
    // The bytes behind them may not be overwritten, so no more are copied.
    if (to !== at) for (let i = 0; i < plain; i++) store<u8>(bytes + to + i, load<u8>(bytes + at + i));
    at += plain;
    to += plain;
    if (found === 0) continue;
    const byte = <i32>load<u8>(bytes + at);
    if (byte === QUOTE) {
      textEnd = to;
      return at;
    }
    if (byte !== BACKSLASH) return -1;
    const letter = <i32>load<u8>(bytes + at, 1);
    at += 2;
    if (letter !== SMALL_U) {
      const meant = escapedBy(letter);
      if (meant === 0) return -1;
      store<u8>(bytes + to++, meant);
      continue;
    }
    let character = hexOf(bytes + at);
    at += 4;
    if (character < 0) return -1;
    if ((character & 0xf800) === SURROGATE) {
      if (character >= LOW_SURROGATE || load<u16>(bytes + at) !== BACKSLASH_U) return -1;
      const low = hexOf(bytes + at + 2);
      if ((low & 0xfc00) !== LOW_SURROGATE) return -1;
      at += 6;
      character = 0x10000 + ((character - SURROGATE) << 10) + (low - LOW_SURROGATE);
    }
    to = writeCharacter(bytes, to, character);
  }
}

/** The byte that is meant by a letter behind a backslash (RFC 8259 section 7); 0 if there is none. */
function escapedBy(letter: i32): u8 {
  switch (letter) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f: // /
      return <u8>letter;
    case 0x62: // b
      return 0x08;
    case SMALL_F:
      return 0x0c;
    case 0x6e: // n
      return 0x0a;
    case 0x72: // r
      return 0x0d;
    case 0x74: // t
      return 0x09;
    default:
      return 0;
  }
}

/** The number of four hexadecimal digits; -1 if they are none. */
function hexOf(at: usize): i32 {
  let number = 0;
  for (let i: usize = 0; i < 4; i++) {
    const byte = <i32>load<u8>(at + i);
    const lower = byte | LOWER_CASE;
    if (byte >= ZERO && byte <= NINE) number = (number << 4) + byte - ZERO;
    else if (lower >= SMALL_A && lower <= SMALL_F) number = (number << 4) + lower - SMALL_A + 10;
    else return -1;
  }
  return number;
}

/** Writes a character as UTF-8 (RFC 3629 section 3). @returns the offset after it */
function writeCharacter(bytes: usize, to: i32, character: i32): i32 {
  let at = bytes + to;
  if (character < 0x80) store<u8>(at++, character);
  else {
    if (character < 0x800) store<u8>(at++, 0xc0 | (character >> 6));
    else {
      if (character < 0x10000) store<u8>(at++, 0xe0 | (character >> 12));
      else {
        store<u8>(at++, 0xf0 | (character >> 18));
        store<u8>(at++, 0x80 | ((character >> 12) & 0x3f));
      }
      store<u8>(at++, 0x80 | ((character >> 6) & 0x3f));
    }
    store<u8>(at++, 0x80 | (character & 0x3f));
  }
  return <i32>(at - bytes);
}

/** Where a comma, a brace or anything else that is no part of a number follows. */
function numberEnd(bytes: usize, start: i32): i32 {
  let at = start;
  while (true) {
    const byte = <i32>load<u8>(bytes + at);
    if (byte <= COMMA || byte === BRACE) return at;
    at++;
  }
}

/** Whether a number is written as JavaScript writes it: only whole ones that a double holds are, as far as this knows. */
function isWhole(from: usize, length: i32): bool {
  const isNegative = load<u8>(from) === MINUS;
  const digits = isNegative ? from + 1 : from;
  const count = isNegative ? length - 1 : length;
  if (count < 1 || count > MAX_DIGITS) return false;
  if (load<u8>(digits) === ZERO) return count === 1 && !isNegative;
  for (let i = 0; i < count; i++) if (<u32>load<u8>(digits + i) - ZERO > 9) return false;
  return true;
}
