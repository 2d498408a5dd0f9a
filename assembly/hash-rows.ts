const QUOTE: i32 = 0x22;
const IS_TEXT: i32 = 1 << 31;

/** What is hashed, in memory: behind it are the columns, and behind those is room for the keys, four words for each row. */
@unmanaged
class Hashed {
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
  k0: i32;
  k1: i32;
  l0: i32;
  l1: i32;
}

/** Hashes the values of rows, as `RowKeys` says (src/scoring/reuse/row-keys.ts). */
export function hashRows(hashed: usize): void {
  const from = changetype<Hashed>(hashed);
  const bytes = from.bytes;
  let starts = from.starts;
  let ends = from.ends;
  const rowStep = from.rowStep;
  const rows = from.rows;
  const isTyped = from.isTyped;
  const k0 = from.k0;
  const k1 = from.k1;
  const l0 = from.l0;
  const l1 = from.l1;
  const columns = hashed + offsetof<Hashed>();
  const lastColumn = columns + ((<usize>from.columns) << 2);
  let keys = lastColumn;
  for (let row = 0; row < rows; row++) {
    let v0 = k0;
    let v1 = k1 ^ 0xee;
    let v2 = 0x6c796765 ^ k0;
    let v3 = 0x74656462 ^ k1;
    let w0 = l0;
    let w1 = l1 ^ 0xee;
    let w2 = 0x6c796765 ^ l0;
    let w3 = 0x74656462 ^ l1;
    let column = columns;
    let at: usize = 0;
    let end: usize = 0;
    let words: i32 = 0;
    /** The rounds that finish: one for the number of words, and six more. */
    let finishing: i32 = 0;
    while (finishing < 7) {
      let word: i32 = 0;
      if (at < end) {
        word = load<i32>(at);
        // There is always memory behind a batch.
        if (at + 4 > end) word &= (1 << ((<i32>(end - at)) << 3)) - 1;
        at += 4;
        words++;
      } else if (column < lastColumn) {
        const offset = <usize>load<i32>(column);
        const start = load<i32>(starts + offset);
        word = load<i32>(ends + offset) - start;
        at = bytes + <usize>start;
        end = at + <usize>word;
        if (isTyped !== 0 && start > 0 && load<u8>(at - 1) === QUOTE) word |= IS_TEXT;
        column += 4;
        words++;
      } else {
        if (finishing === 0) word = words << 26;
        else if (finishing === 1) {
          v2 ^= 0xee;
          w2 ^= 0xee;
        } else if (finishing === 4) {
          store<i32>(keys, v1 ^ v3);
          store<i32>(keys, w1 ^ w3, 8);
          v1 ^= 0xdd;
          w1 ^= 0xdd;
        }
        finishing++;
      }
      v3 ^= word;
      w3 ^= word;
      v0 += v1;
      w0 += w1;
      v1 = rotl(v1, 5) ^ v0;
      w1 = rotl(w1, 5) ^ w0;
      v0 = rotl(v0, 16);
      w0 = rotl(w0, 16);
      v2 += v3;
      w2 += w3;
      v3 = rotl(v3, 8) ^ v2;
      w3 = rotl(w3, 8) ^ w2;
      v0 += v3;
      w0 += w3;
      v3 = rotl(v3, 7) ^ v0;
      w3 = rotl(w3, 7) ^ w0;
      v2 += v1;
      w2 += w1;
      v1 = rotl(v1, 13) ^ v2;
      w1 = rotl(w1, 13) ^ w2;
      v2 = rotl(v2, 16);
      w2 = rotl(w2, 16);
      v0 ^= word;
      w0 ^= word;
    }
    store<i32>(keys, v1 ^ v3, 4);
    store<i32>(keys, w1 ^ w3, 12);
    starts += rowStep;
    ends += rowStep;
    keys += 16;
  }
}
