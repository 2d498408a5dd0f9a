import { createHash } from 'node:crypto';
import { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { GroupEncoder } from '../../../base/text-of-file.ts';
import type { EncodedGroupColumn } from '../../group-encoding.ts';
import { doubleOf } from '../../required-numbers.ts';
import { CONVERTED, ELEMENT, FILE, GROUP, LOGICAL, OPTIONAL, TYPES } from '../footer/numbers.ts';
import type { ParquetFile } from '../footer/parquet-file.ts';
import { structOf, ThriftStruct } from '../footer/thrift.ts';
import { type CopiedColumn, copiedBytes, copiedChunks, copiedElements } from './copied-columns.ts';
import { fileEnd, groupNote, MAGIC, movedChunk, readGroupNote } from './file-end.ts';
import { keyValues } from './key-values.ts';
import { numberChunk } from './number-chunk.ts';
import { NumberColumn } from './number-column.ts';
import { numberTable, type ReadTable } from './number-table.ts';
import { type ChunkValues, isPlain, type ValueOptions, ValueReader } from './read-values.ts';
import { valueChunk } from './value-chunk.ts';
import { bytesOfChunks, type PhysicalType, WrittenGroup } from './written-chunk.ts';

export interface EncoderOptions extends ValueOptions {
  /**
   * The file whose columns are copied before those that are written, if any are. Its groups are those of the new one.
   */
  readonly copied?: { readonly file: ParquetFile; readonly columns: readonly CopiedColumn[] } | undefined;
}

/**
 * Makes a Parquet file of the records of a CSV, group by group. What the footer needs of a group is its note, so that a
 * file can be continued by another process with the same bytes.
 */
export class ParquetEncoder implements GroupEncoder {
  readonly start = MAGIC;
  readonly #options: EncoderOptions;
  /** Reads rows that are only numbers, as predictions are. */
  readonly #readTable: ReadTable | undefined;
  #reader: ValueReader | undefined;

  constructor(options: EncoderOptions) {
    this.#options = options;
    const { columns, nulls, dialect } = options;
    if (nulls.size === 0 && columns.every(isPlain)) this.#readTable = numberTable(dialect, columns.length);
  }

  /**
   * Writes the next group.
   *
   * @param text its records
   * @param notes of the groups before it
   * @returns its note; undefined if there are only blank lines
   * @throws RowcastError `not_a_number`; `unreadable_input` of the file that is copied
   */
  async group(
    text: Buffer,
    notes: readonly string[],
    append: (bytes: Uint8Array) => Promise<void>,
  ): Promise<string | undefined> {
    const { copied, columns, nulls } = this.#options;
    const before = (): number =>
      notes.reduce((rows, note) => rows + readGroupNote(note).integer(GROUP.rows), 0);
    const copiedRows = copied?.file.groups[notes.length]?.rows;
    const values: readonly ChunkValues[] =
      this.#readTable?.(text, copiedRows ?? 0, text => doubleOf(text, nulls)) ??
      this.#valueReader.read(text, before);
    const rows = values[0]?.rows ?? 0;
    if (rows === 0) return undefined;
    if (copied !== undefined && copiedRows !== rows)
      throw new Error(`group ${notes.length} has ${rows} rows`);
    const group = new WrittenGroup(append);
    const copiedDigest = copied && createHash('sha256');
    if (copied !== undefined)
      for await (const part of copiedBytes(copied.file, copied.columns, notes.length, true)) {
        copiedDigest?.update(part);
        await group.write(part);
      }
    for (const [index, column] of columns.entries()) {
      const own = values[index];
      if (own === undefined) throw new Error('a column has no values');
      await group.add(
        own instanceof NumberColumn
          ? numberChunk(own, column.name)
          : valueChunk(own, column.name, typeOf(column)),
      );
    }
    const note = structOf('i64', {
      [GROUP.bytes]: bytesOfChunks(group.chunks),
      [GROUP.rows]: rows,
      [GROUP.compressedBytes]: group.bytes,
      [COPIED]: copiedDigest?.digest(),
    });
    note.setStructs(GROUP.columns, group.chunks);
    return groupNote(note);
  }

  async hasCopied(notes: readonly string[], first: number): Promise<boolean> {
    const { copied } = this.#options;
    if (copied === undefined) return true;
    for (let index = first; index < notes.length; index++) {
      const digest = createHash('sha256');
      for await (const part of copiedBytes(copied.file, copied.columns, index)) digest.update(part);
      if (!readGroupNote(notes[index] ?? '').isBytes(COPIED, digest.digest())) return false;
    }
    return true;
  }

  get #valueReader(): ValueReader {
    this.#reader ??= new ValueReader(this.#options, BatchMemory.create());
    return this.#reader;
  }

  end(notes: readonly string[]): Iterable<Buffer> {
    const { copied, columns } = this.#options;
    const footer = copied?.file.footer.copy() ?? newFooter();
    const [root = new ThriftStruct()] = footer.structs(FILE.schema);
    const own = root.copy();
    const before = copied?.columns ?? [];
    own.setInteger(ELEMENT.children, before.length + columns.length, 'i32');
    footer.setStructs(FILE.schema, [own, ...copiedElements(before), ...elementsOf(columns)]);
    const rows = notes.reduce((sum, note) => sum + readGroupNote(note).integer(GROUP.rows), 0);
    footer.setInteger(FILE.rows, rows, 'i64');
    this.#setOrders(footer);
    if (copied !== undefined && footer.has(FILE.keyValues))
      footer.setStructs(FILE.keyValues, keyValues(copied.file, copied.columns, columns));
    return fileEnd(footer, { count: notes.length, items: this.#groups(notes) });
  }

  *#groups(notes: readonly string[]): Generator<ThriftStruct> {
    const { copied } = this.#options;
    const isWhole = copied !== undefined && copied.columns.length === copied.file.columns.length;
    let at = MAGIC.length;
    for (const [index, saved] of notes.entries()) {
      const note = readGroupNote(saved);
      const before = copied && copiedChunks(copied.file, copied.columns, index, at);
      const group = (isWhole ? copied.file.groups[index]?.struct : undefined) ?? new ThriftStruct();
      const start = at;
      const chunks = note.structs(GROUP.columns).map(chunk => movedChunk(chunk, start - MAGIC.length));
      const bytes = note.integer(GROUP.compressedBytes);
      group.delete(GROUP.ordinal);
      group.setStructs(GROUP.columns, [...(before?.chunks ?? []), ...chunks]);
      group.setInteger(GROUP.bytes, (before?.uncompressedBytes ?? 0) + note.integer(GROUP.bytes), 'i64');
      group.setInteger(GROUP.rows, note.integer(GROUP.rows), 'i64');
      group.setInteger(GROUP.offset, start, 'i64');
      group.setInteger(GROUP.compressedBytes, bytes, 'i64');
      at += bytes;
      yield group;
    }
  }

  /** How the values of each column are compared in statistics, if the file says that of its own. */
  #setOrders(footer: ThriftStruct): void {
    const { copied, columns } = this.#options;
    if (copied !== undefined && !footer.has(FILE.columnOrders)) return;
    const orders = copied?.file.footer.structs(FILE.columnOrders) ?? [];
    const before = copied?.columns.flatMap(({ column }) => orders.slice(...column.leaves)) ?? [];
    footer.setStructs(FILE.columnOrders, [...before, ...columns.map(typeOrder)]);
  }
}

/**
 * Readers expect a version here. It is that of how files are written, not of rowcast, because a run may be continued by
 * another version of rowcast.
 */
const CREATED_BY = 'rowcast version 1';

/** The member of a note that has the SHA-256 of what was copied; the footer has none of this number. */
const COPIED = 100;

function newFooter(): ThriftStruct {
  const footer = structOf('i32', { [FILE.version]: 2, [FILE.createdBy]: CREATED_BY });
  footer.setStructs(FILE.schema, [structOf('i32', { [ELEMENT.name]: 'schema' })]);
  return footer;
}

/** `ColumnOrder` of parquet.thrift: a union with one member, an empty struct. */
const typeOrder = (): ThriftStruct => structOf('i32', { 1: new ThriftStruct() });

const typeOf = ({ type }: EncodedGroupColumn): PhysicalType => (type === 'number' ? 'DOUBLE' : 'BYTE_ARRAY');

/** The elements of columns in a schema. */
const elementsOf = (columns: readonly EncodedGroupColumn[]): ThriftStruct[] =>
  columns.map(column => {
    const isText = column.type === 'text';
    return structOf('i32', {
      [ELEMENT.type]: TYPES.indexOf(typeOf(column)),
      [ELEMENT.repetition]: OPTIONAL,
      [ELEMENT.name]: column.name,
      [ELEMENT.converted]: isText ? CONVERTED.indexOf('UTF8') : undefined,
      [ELEMENT.logical]: isText ? structOf('i32', { [LOGICAL.string]: new ThriftStruct() }) : undefined,
    });
  });
