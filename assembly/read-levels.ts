import { countMissing, countUnseen } from './unrecognized';

const SPACE = 0x20;
const DELETE = 0x7f;
/** As in src/formats/columns/level-column.ts. */
const LEAVES_ALL = 1;
const LEAVES_DECIMALS = 2;
/** `.0` as a little-endian number. */
const POINT_ZERO: u16 = 0x302e;
/** As in src/formats/columns/level-column.ts. */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A `LevelTable` of src/formats/columns/level-column.ts. */
@unmanaged
class Levels {
  slots: usize;
  mask: i32;
  isWhole: i32;
  texts: usize;
  starts: usize;
  /** By level, its number. */
  numbers: usize;
  /** Which other fields may be levels in another form: `LEAVES_ALL` of them, or those that end in `.0`. */
  leaves: i32;
  /** The number of every other value. */
  unknown: f64;
}

/**
 * Writes the numbers of a column's levels, from row `first` on; NaN for an empty field. The parameters are those of
 * `readNumbers`.
 *
 * @param table a `Levels`
 * @returns the first row whose field is no level, but may be one in another form
 */
export function readLevels(
  bytes: usize,
  starts: usize,
  ends: usize,
  fieldStep: i32,
  values: usize,
  valueStep: i32,
  first: i32,
  rows: i32,
  table: usize,
): i32 {
  const levels = changetype<Levels>(table);
  starts += <usize>first * fieldStep;
  ends += <usize>first * fieldStep;
  values += <usize>first * valueStep;
  for (let row = first; row < rows; row++) {
    const at = bytes + load<i32>(starts);
    const length = load<i32>(ends) - load<i32>(starts);
    let value: f64 = NaN;
    if (length === 0) countMissing();
    else {
      const level = levelAt(levels, at, length);
      if (level >= 0) value = load<f64>(levels.numbers + ((<usize>level) << 3));
      else {
        const leaves = levels.leaves;
        if (
          leaves === LEAVES_ALL ||
          (leaves === LEAVES_DECIMALS && length > 2 && load<u16>(at + length - 2) === POINT_ZERO) ||
          mayBeSpace(<i32>load<u8>(at)) ||
          mayBeSpace(<i32>load<u8>(at + length - 1))
        )
          return row;
        countUnseen();
        value = levels.unknown;
      }
    }
    store<f64>(values, value);
    starts += fieldStep;
    ends += fieldStep;
    values += valueStep;
  }
  return rows;
}

/** Whether a byte is a space or a part of one; characters beyond ASCII may be spaces too. */
function mayBeSpace(byte: i32): bool {
  return byte <= SPACE || byte >= DELETE;
}

function levelAt(levels: Levels, at: usize, length: i32): i32 {
  const first = firstWord(at, length);
  const last = length > 4 ? load<i32>(at + length - 4) : 0;
  const mask = levels.mask;
  let slot = ((levels.isWhole ? hashOf(at, length) : hashOfEnds(length, first, last)) << 2) & mask;
  while (true) {
    const place = levels.slots + ((<usize>slot) << 2);
    const level = load<i32>(place) - 1;
    if (level === -1) return -1;
    if (load<i32>(place, 4) === length && load<i32>(place, 8) === first && load<i32>(place, 12) === last) {
      const text = levels.texts + load<i32>(levels.starts + ((<usize>level) << 2));
      if (length <= 8 || isEqualBetween(text, at, length)) return level;
    }
    slot = (slot + 4) & mask;
  }
}

function firstWord(at: usize, length: i32): i32 {
  const word = load<i32>(at);
  return length >= 4 ? word : word & ((1 << (8 * length)) - 1);
}

function isEqualBetween(a: usize, b: usize, length: i32): bool {
  for (let i = 4; i < length - 4; i += 4) if (load<i32>(a + i) !== load<i32>(b + i)) return false;
  return true;
}

function hashOf(at: usize, length: i32): i32 {
  let hash = <i32>OFFSET_BASIS ^ length;
  if (length >= 4) {
    for (let i = 0; i < length - 4; i += 4) hash = (hash ^ load<i32>(at + i)) * PRIME;
    hash = (hash ^ load<i32>(at + length - 4)) * PRIME;
  } else hash = (hash ^ firstWord(at, length)) * PRIME;
  return foldedDown(hash);
}

function hashOfEnds(length: i32, first: i32, last: i32): i32 {
  return foldedDown((((first ^ length) * PRIME) ^ last) * PRIME);
}

function foldedDown(product: i32): i32 {
  return product ^ (product >>> 15);
}
