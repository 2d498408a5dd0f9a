const QUOTE: i32 = 0x22;
const IS_TEXT: i32 = 1 << 31;

/** What is hashed, in memory; behind it are the columns. */
@unmanaged
class Hashed {
  k0: i64;
  k1: i64;
  bytes: usize;
  /** The offsets of the fields of row 0, which are `rowStep` bytes before those of the next. */
  starts: usize;
  ends: usize;
  rowStep: i32;
  rows: i32;
  /** Whether a value after a quote is a text, which is not the number that is written alike. */
  isTyped: i32;
  /** How many columns there are; of each, where in bytes its offsets are among those of a row. */
  columns: i32;
  /** Room for the keys, 16 bytes for each row, and for the values of one row. */
  keys: usize;
  values: usize;
}

/** Hashes the values of rows, as `RowKeys` says (src/scoring/reuse/row-keys.ts). */
export function hashRows(hashed: usize): void {
  const from = changetype<Hashed>(hashed);
  const bytes = from.bytes;
  const rows = from.rows;
  const rowStep = from.rowStep;
  const isTyped = from.isTyped !== 0;
  const k0 = from.k0;
  const k1 = from.k1;
  const columns = hashed + offsetof<Hashed>();
  const lastColumn = columns + ((<usize>from.columns) << 2);
  const values = from.values;
  let starts = from.starts;
  let ends = from.ends;
  let keys = from.keys;
  for (let row = 0; row < rows; row++) {
    const end = collect(bytes, starts, ends, columns, lastColumn, isTyped, values);
    let v0 = k0 ^ (((<i64>0x736f6d65) << 32) | 0x70736575);
    let v1 = k1 ^ (((<i64>0x646f7261) << 32) | 0x6e646f6d) ^ 0xee;
    let v2 = k0 ^ (((<i64>0x6c796765) << 32) | 0x6e657261);
    let v3 = k1 ^ (((<i64>0x74656462) << 32) | 0x79746573);
    for (let at = values; at < end; at += 8) {
      const word = load<i64>(at);
      v3 ^= word;
      v0 += v1;
      v1 = rotl(v1, 13) ^ v0;
      v0 = rotl(v0, 32);
      v2 += v3;
      v3 = rotl(v3, 16) ^ v2;
      v0 += v3;
      v3 = rotl(v3, 21) ^ v0;
      v2 += v1;
      v1 = rotl(v1, 17) ^ v2;
      v2 = rotl(v2, 32);
      v0 ^= word;
    }
    v2 ^= 0xee;
    for (let half: usize = 0; half < 16; half += 8) {
      for (let round = 0; round < 3; round++) {
        v0 += v1;
        v1 = rotl(v1, 13) ^ v0;
        v0 = rotl(v0, 32);
        v2 += v3;
        v3 = rotl(v3, 16) ^ v2;
        v0 += v3;
        v3 = rotl(v3, 21) ^ v0;
        v2 += v1;
        v1 = rotl(v1, 17) ^ v2;
        v2 = rotl(v2, 32);
      }
      store<i64>(keys + half, v0 ^ v1 ^ v2 ^ v3);
      v1 ^= 0xdd;
    }
    starts += rowStep;
    ends += rowStep;
    keys += 16;
  }
}

/** Copies the lengths of the values of a row, then the values, filled up with zeros. @returns where they end */
function collect(
  bytes: usize,
  starts: usize,
  ends: usize,
  columns: usize,
  lastColumn: usize,
  isTyped: bool,
  values: usize,
): usize {
  let lengths = values;
  let to = values + (lastColumn - columns);
  for (let column = columns; column < lastColumn; column += 4) {
    const offset = <usize>load<i32>(column);
    const start = load<i32>(starts + offset);
    const length = load<i32>(ends + offset) - start;
    const from = bytes + <usize>start;
    store<i32>(lengths, isTyped && start > 0 && load<u8>(from - 1) === QUOTE ? length | IS_TEXT : length);
    lengths += 4;
    // There is always memory behind a batch, and behind the values.
    v128.store(to, v128.load(from));
    for (let copied = 16; copied < length; copied += 16)
      v128.store(to + <usize>copied, v128.load(from + <usize>copied));
    to += <usize>length;
  }
  store<i64>(to, 0);
  return to;
}
