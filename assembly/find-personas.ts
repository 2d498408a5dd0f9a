// As src/server/predict/encode-personas.ts, for personas with the same members in the same order, and nothing unusual.

import { isEqual } from './is-equal';
import { stringEnd, textEnd } from './read-string';
import { NO_NUMBER, numberOf } from './write-value';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const SMALL_F = 0x66;
const BRACE = 0x7d;
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
      at = stringEnd(bytes, start, start) + 1;
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
