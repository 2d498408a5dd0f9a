// As src/formats/jsonl/object-reader.ts, for lines with known members only, and no nested values.

import { contentEnd } from './content-end';
import { isEqual } from './is-equal';
import { stringEnd, textEnd } from './read-string';
import { specialBytes } from './write-value';

/** `RecordKind.plain`. */
const PLAIN = 0;
const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const SMALL_F = 0x66;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LANES = 16;
/** `null` and `true` as little-endian words, and `alse` of `false`. */
const NULL = 0x6c6c756e;
const TRUE = 0x65757274;
const ALSE = 0x65736c61;
/** Members that are compared with a name: an object with many, in another order, takes longer here than in TypeScript. */
const MAX_COMPARED = 64;

/** A member of objects, by the order in which these usually have them. */
@unmanaged
class Member {
  /** The name with its quotes. */
  name: usize;
  length: i32;
  /** From the offset of a row's first field to that of this one, in bytes; -1 if it is no column. */
  offset: i32;
  /** The number of the last object that had it. */
  seen: i32;
}

/** Where the texts end that had escapes. */
export let textsTo: i32 = 0;

/** The number of the current object. */
let object: i32 = 0;

/**
 * Writes the offsets of the values of objects, from the record `first` on. Those of absent members stay as they are.
 *
 * @param bytes of the batch, which are UTF-8; as many as a vector has may be read behind them
 * @param texts offset behind the batch from which on texts are written that had escapes, each behind a quote
 * @param recordEnds offsets at which its records end, and `kinds` what they are
 * @param members `Member`s, of which there is at least one
 * @param starts and `ends`: where the offsets of the first row are written, which are `rowStep` bytes before those of the next
 * @returns the first record that is not so simple
 */
export function findMembers(
  bytes: usize,
  texts: i32,
  recordEnds: usize,
  kinds: usize,
  first: i32,
  records: i32,
  members: usize,
  count: i32,
  starts: usize,
  ends: usize,
  rowStep: i32,
): i32 {
  let start = first === 0 ? 0 : load<i32>(recordEnds + ((<usize>first - 1) << 2));
  textsTo = texts;
  const after = members + <usize>count * offsetof<Member>();
  for (let index = first; index < records; index++) {
    const end = load<i32>(recordEnds + ((<usize>index) << 2));
    // Everything that is looked for ends before a line feed.
    if (load<u8>(kinds + index) !== PLAIN || load<u8>(bytes + end - 1) !== LF) return index;
    const before = textsTo;
    const to = objectEnd(bytes, bytes + start, members, after, starts, ends);
    if (to !== bytes + contentEnd(bytes, start, end, false)) {
      textsTo = before;
      return index;
    }
    starts += rowStep;
    ends += rowStep;
    start = end;
  }
  return records;
}

/** @returns the address after an object and spaces; 0 if it is not simple */
function objectEnd(
  bytes: usize,
  from: usize,
  members: usize,
  after: usize,
  starts: usize,
  ends: usize,
): usize {
  object++;
  let at = spaceEnd(from);
  if (load<u8>(at) !== OPEN) return 0;
  at = spaceEnd(at + 1);
  if (load<u8>(at) === CLOSE) return spaceEnd(at + 1);
  let next = members;
  while (true) {
    const found = memberAt(at, next, members, after);
    if (found === after) return 0;
    next = found + offsetof<Member>();
    const member = changetype<Member>(found);
    if (member.seen === object) return 0;
    member.seen = object;
    at = spaceEnd(at + member.length);
    if (load<u8>(at) !== COLON) return 0;
    at = spaceEnd(at + 1);
    const byte = <i32>load<u8>(at);
    let start = <i32>(at - bytes);
    let end = start;
    if (byte === QUOTE) {
      start++;
      end = <i32>(plainEnd(at + 1) - bytes);
      at = bytes + end;
      const special = load<u8>(at);
      if (special === BACKSLASH) {
        end = stringEnd(bytes, start, textsTo + 1);
        if (end < 0) return 0;
        at = bytes + end;
        if (member.offset >= 0) {
          store<u8>(bytes + textsTo, QUOTE);
          start = textsTo + 1;
          end = textsTo = textEnd;
        }
      } else if (special !== QUOTE) return 0;
      at++;
    } else if (byte === MINUS || isDigit(byte)) {
      at = numberEnd(at);
      if (at === 0) return 0;
      end = <i32>(at - bytes);
    } else {
      const word = load<i32>(at);
      if (word === NULL || word === TRUE) at += 4;
      else if (byte === SMALL_F && load<i32>(at, 1) === ALSE) at += 5;
      else return 0;
      if (word !== NULL) end = <i32>(at - bytes);
      else start = end = 0;
    }
    if (member.offset >= 0) {
      store<i32>(starts + member.offset, start);
      store<i32>(ends + member.offset, end);
    }
    at = spaceEnd(at);
    const behind = load<u8>(at);
    at = spaceEnd(at + 1);
    if (behind === CLOSE) return at;
    if (behind !== COMMA) return 0;
  }
}

/** The member with the name that begins here, which is probably the next one; `after` if it is none of the following ones. */
function memberAt(name: usize, next: usize, members: usize, after: usize): usize {
  let at = next;
  for (let compared = 0; compared < MAX_COMPARED; compared++) {
    if (at === after) at = members;
    const member = changetype<Member>(at);
    if (isEqual(name, member.name, member.length)) return at;
    at += offsetof<Member>();
  }
  return after;
}

function spaceEnd(at: usize): usize {
  while (load<u8>(at) === SPACE) at++;
  return at;
}

/** Where a quote, a backslash or a control character is. */
function plainEnd(at: usize): usize {
  while (true) {
    const found = specialBytes(v128.load(at), BACKSLASH, LANES);
    if (found !== 0) return at + ctz(found);
    at += LANES;
  }
}

/** Where a number of JSON ends; 0 if it is none, or has an exponent. */
function numberEnd(start: usize): usize {
  const integer = load<u8>(start) === MINUS ? start + 1 : start;
  let at = load<u8>(integer) === ZERO ? integer + 1 : digitsEnd(integer);
  if (at === integer) return 0;
  if (load<u8>(at) !== POINT) return at;
  const fraction = at + 1;
  at = digitsEnd(fraction);
  return at === fraction ? 0 : at;
}

function digitsEnd(at: usize): usize {
  while (isDigit(load<u8>(at))) at++;
  return at;
}

function isDigit(byte: i32): bool {
  return <u32>byte - ZERO <= 9;
}
