import { CHUNK, COLUMN, GROUP } from './numbers.ts';
import { readStructAt, type ThriftStruct } from './thrift.ts';
import type { ThriftCursor } from './thrift-cursor.ts';

/** The columns are not in the file, or not as they are written here. */
export class UnreadableColumns extends Error {}

/** Rows that are stored together. What the footer says of its columns is read when it is asked for. */
export class RowGroup {
  readonly rows: number;
  /** Row before the first one, counted from 0. */
  readonly before: number;
  readonly #table: ChunkTable;
  /** Where its struct is in the footer, and the index of its first chunk. */
  readonly #at: number;
  readonly #first: number;

  constructor(
    table: ChunkTable,
    at: number,
    first: number,
    { rows, before }: { rows: number; before: number },
  ) {
    this.#table = table;
    this.#at = at;
    this.#first = first;
    this.rows = rows;
    this.before = before;
  }

  /** What the footer says of it, without its columns. */
  get struct(): ThriftStruct {
    return readStructAt(this.#table.footer, this.#at, {
      id: GROUP.columns,
      read: cursor => cursor.skipMember(),
    }).struct;
  }

  /** What the footer says of the chunk of a leaf of the schema. */
  chunk(leaf: number): ThriftStruct {
    return readStructAt(this.#table.footer, this.#table.at(this.#first + leaf)).struct;
  }

  /** Where a chunk is in the file: its dictionary, if it has one, and then its data. */
  range(leaf: number): ByteRange {
    return this.#table.range(this.#first + leaf);
  }

  /** The bytes of a chunk when it is not compressed. */
  uncompressedBytes(leaf: number): number {
    return this.#table.uncompressedBytes(this.#first + leaf);
  }
}

/** The chunks of all groups: some numbers of each, because a file may have hundreds of thousands. */
export class ChunkTable {
  readonly footer: Buffer;
  /** Where the chunk begins in the file, where it ends, and its bytes uncompressed. */
  #numbers = new Float64Array(3 << 8);
  /** Where its struct is in the footer. */
  #places = new Uint32Array(1 << 8);
  #length = 0;
  readonly groups: RowGroup[] = [];
  rows = 0;
  /** The leaves that all groups have; undefined without groups. */
  leaves: number | undefined;

  constructor(footer: Buffer) {
    this.footer = footer;
  }

  at(chunk: number): number {
    return this.#places[chunk] as number;
  }

  range(chunk: number): ByteRange {
    return { from: this.#numbers[3 * chunk] as number, to: this.#numbers[3 * chunk + 1] as number };
  }

  uncompressedBytes(chunk: number): number {
    return this.#numbers[3 * chunk + 2] as number;
  }

  /**
   * Reads the list of groups, of which `checkFooterTypes` has passed.
   *
   * @param fileBytes in which all chunks must be
   * @throws Error if a chunk is outside of the file, is shared, or cannot be read
   */
  read(cursor: ThriftCursor, fileBytes: number): void {
    for (let left = cursor.list().size; left > 0; left--) this.#readGroup(cursor, fileBytes);
    this.#checkDistinct();
  }

  #readGroup(cursor: ThriftCursor, fileBytes: number): void {
    const at = cursor.at;
    const first = this.#length;
    let rows = Number.NaN;
    let problem: string | undefined;
    for (let last = 0; cursor.member(last); ) {
      last = cursor.id;
      if (last === GROUP.rows) rows = Number(cursor.integer());
      else if (last === GROUP.columns)
        for (let left = cursor.list().size; left > 0; left--) problem = this.#readChunk(cursor) ?? problem;
      else cursor.skipMember();
    }
    const leaves = this.#length - first;
    if (leaves !== (this.leaves ?? leaves)) throw new Error('a group does not have all columns');
    this.leaves = leaves;
    if (!(rows >= 0)) throw new Error('a group has a negative number of rows');
    // Some writers make groups without rows, whose columns are nowhere.
    if (rows === 0) {
      this.#length = first;
      return;
    }
    if (problem !== undefined) throw new UnreadableColumns(problem);
    for (let chunk = first; chunk < this.#length; chunk++) {
      if (!(this.uncompressedBytes(chunk) >= 0)) throw new Error('the size of a column is negative');
      const { from, to } = this.range(chunk);
      if (!(from >= 4 && from <= to && to <= fileBytes)) throw new Error('a column is outside of the file');
    }
    this.groups.push(new RowGroup(this, at, first, { rows, before: this.rows }));
    this.rows += rows;
  }

  #readChunk(cursor: ThriftCursor): string | undefined {
    const at = cursor.at;
    let problem: string | undefined;
    let hasPath = false;
    let [data, dictionary, compressed, uncompressed] = [Number.NaN, 0, Number.NaN, Number.NaN];
    for (let last = 0; cursor.member(last); ) {
      last = cursor.id;
      if (last === CHUNK.encryption || last === CHUNK.encrypted) problem = 'it is encrypted';
      else if (last === CHUNK.path) problem ??= 'its columns are in other files';
      if (last !== CHUNK.metadata) {
        cursor.skipMember();
        continue;
      }
      for (let lastOfColumn = 0; cursor.member(lastOfColumn); ) {
        lastOfColumn = cursor.id;
        if (lastOfColumn === COLUMN.path) hasPath = isFilledList(cursor);
        else if (lastOfColumn === COLUMN.dataPage) data = Number(cursor.integer());
        else if (lastOfColumn === COLUMN.dictionaryPage) dictionary = Number(cursor.integer());
        else if (lastOfColumn === COLUMN.compressedBytes) compressed = Number(cursor.integer());
        else if (lastOfColumn === COLUMN.uncompressedBytes) uncompressed = Number(cursor.integer());
        else cursor.skipMember();
      }
    }
    // Writing a copy of the column needs its path.
    if (!hasPath) problem ??= 'a column has no path';
    const from = dictionary > 0 ? Math.min(dictionary, data) : data;
    this.#add(at, from, from + compressed, uncompressed);
    return problem;
  }

  #add(at: number, from: number, to: number, uncompressed: number): void {
    const index = this.#length++;
    if (index === this.#places.length) {
      const [numbers, places] = [new Float64Array(6 * index), new Uint32Array(2 * index)];
      numbers.set(this.#numbers);
      places.set(this.#places);
      [this.#numbers, this.#places] = [numbers, places];
    }
    this.#places[index] = at;
    this.#numbers.set([from, to, uncompressed], 3 * index);
  }

  /** A file whose chunks share bytes could become any number of times as large as it is. */
  #checkDistinct(): void {
    const order = Uint32Array.from({ length: this.#length }, (_, chunk) => chunk);
    const from = (chunk: number): number => this.#numbers[3 * chunk] as number;
    const to = (chunk: number): number => this.#numbers[3 * chunk + 1] as number;
    // Nearly all files have them in order.
    if (order.some((chunk, index) => index > 0 && from(chunk) < from(chunk - 1)))
      order.sort((a, b) => from(a) - from(b) || to(a) - to(b));
    let end = 0;
    for (const chunk of order) {
      if (from(chunk) === to(chunk)) continue;
      if (from(chunk) < end) throw new Error('two columns or row groups share bytes');
      end = to(chunk);
    }
  }
}

/** Passes a list. @returns whether it has items */
function isFilledList(cursor: ThriftCursor): boolean {
  const { at } = cursor;
  const { size } = cursor.list();
  cursor.at = at;
  cursor.skipMember();
  return size > 0;
}

/** Bytes of a file: `[from, to)`. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Bytes between two ranges that are read with them: another read, or request, takes longer. */
const GAP_BYTES = 64 << 10;

/** Fewer ranges that have all bytes of these, in the order of the file. */
export function joinRanges(ranges: readonly ByteRange[], gapBytes = GAP_BYTES): ByteRange[] {
  const joined: ByteRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last === undefined || range.from > last.to + gapBytes) joined.push(range);
    else joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, range.to) };
  }
  return joined;
}
