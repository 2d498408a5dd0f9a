import { type WordView, wordView } from '../../formats/bytes/word-view.ts';
import type { Fields } from '../../formats/records/fields.ts';

/** The keys of rows, and their hashes. */
export interface JoinKeys {
  readonly rows: number;
  /** The key of row r is `words.bytes[starts[r], ends[r])`; an empty one is missing. */
  readonly words: WordView;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly hashes: Int32Array;
}

/** Rows with their keys, and the same number of numbers for each. */
export interface KeyedRows extends JoinKeys {
  /** The numbers of row r begin at `r * width`, where the width is that of the side of the join. */
  readonly numbers: Float64Array;
}

/** Between the values of a key of several columns; UTF-8 never has this byte. */
const SEPARATOR = 0xff;

/** Reads the keys of one batch after the other; those of a batch are overwritten by the next. */
export class KeyReader {
  readonly #columns: readonly number[];
  #starts = new Int32Array();
  #ends = new Int32Array();
  #hashes = new Int32Array();
  /** The values of keys of several columns, one after the other. */
  #joined = wordView(Buffer.alloc(0));

  /** @param columns the indices of the columns of the key, at least one */
  constructor(columns: readonly number[]) {
    this.#columns = columns;
  }

  read(fields: Fields): JoinKeys {
    const { rows } = fields;
    if (this.#starts.length < rows) {
      this.#starts = new Int32Array(rows);
      this.#ends = new Int32Array(rows);
      this.#hashes = new Int32Array(rows);
    }
    const words = this.#columns.length === 1 ? this.#readOne(fields) : this.#readSeveral(fields);
    const keys = { rows, words, starts: this.#starts, ends: this.#ends, hashes: this.#hashes };
    hashKeys(keys);
    return keys;
  }

  #readOne({ rows, width, bytes, starts, ends }: Fields): WordView {
    const [column = 0] = this.#columns;
    for (let row = 0, field = column; row < rows; row++, field += width) {
      this.#starts[row] = starts[field] as number;
      this.#ends[row] = ends[field] as number;
    }
    return wordView(bytes);
  }

  /** A key is missing if any of its values is. */
  #readSeveral({ rows, width, bytes, starts, ends }: Fields): WordView {
    let to = 0;
    for (let row = 0; row < rows; row++) {
      const start = to;
      let isMissing = false;
      for (const column of this.#columns) {
        const [from, end] = [starts[row * width + column] as number, ends[row * width + column] as number];
        isMissing ||= from === end;
        const size = end - from + 1;
        if (to + size > this.#joined.bytes.length) this.#enlarge(to, size);
        bytes.copy(this.#joined.bytes, to, from, end);
        to += size;
        this.#joined.bytes[to - 1] = SEPARATOR;
      }
      this.#starts[row] = start;
      this.#ends[row] = isMissing ? start : to - 1;
    }
    return this.#joined;
  }

  #enlarge(used: number, more: number): void {
    const larger = Buffer.allocUnsafeSlow(2 * (used + more));
    this.#joined.bytes.copy(larger, 0, 0, used);
    this.#joined = wordView(larger);
  }
}

/** The values of a key. */
export function valuesOfKey(key: Buffer): string[] {
  const values: string[] = [];
  for (let start = 0; ; ) {
    const end = key.indexOf(SEPARATOR, start);
    values.push(key.toString('utf8', start, end === -1 ? key.length : end));
    if (end === -1) return values;
    start = end + 1;
  }
}

/** Writes the hashes of keys. */
export function hashKeys({ rows, words, starts, ends, hashes }: JoinKeys): void {
  for (let row = 0; row < rows; row++)
    hashes[row] = hashOfKey(words, starts[row] as number, ends[row] as number);
}

const MIX = 0x9e3779b1;

/** A hash of `bytes[start, end)`, by multiplication. The last word overlaps the one before it. */
export function hashOfKey({ view }: WordView, start: number, end: number): number {
  let hash = end - start;
  if (hash >= 4) {
    for (let at = start; at < end - 4; at += 4) hash = mixed(hash ^ view.getInt32(at, true));
    return mixed(hash ^ view.getInt32(end - 4, true));
  }
  for (let at = start; at < end; at++) hash = mixed(hash ^ view.getUint8(at));
  return hash;
}

function mixed(value: number): number {
  const product = Math.imul(value, MIX);
  return Math.imul(product ^ (product >>> 15), MIX) ^ (product >>> 13);
}
