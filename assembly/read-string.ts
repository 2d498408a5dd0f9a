import { specialBytes } from './write-value';

const QUOTE = 0x22;
const ZERO = 0x30;
const NINE = 0x39;
const BACKSLASH = 0x5c;
const SMALL_A = 0x61;
const SMALL_F = 0x66;
const SMALL_U = 0x75;
const LOWER_CASE = 0x20;
const LANES = 16;
/** `\\u` as a little-endian word, and where surrogates and their second halves begin. */
const BACKSLASH_U = 0x755c;
const SURROGATE = 0xd800;
const LOW_SURROGATE = 0xdc00;

/** Where the text of the string ends that was read last. */
export let textEnd: i32 = 0;

/**
 * Writes the text of a string from `to` on, with its escapes replaced.
 *
 * @param to behind the string, or where its text begins, at `start`
 * @returns the offset of the closing quote; -1 if there is an error, or half of a surrogate pair
 */
export function stringEnd(bytes: usize, start: i32, to: i32): i32 {
  let at = start;
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
