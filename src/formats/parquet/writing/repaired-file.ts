import { RowcastError } from '../../../base/errors.ts';
import { COMMAS } from '../../../base/parse-records.ts';
import { sanitize } from '../../../base/sanitize.ts';
import type { GroupEncoder } from '../../../base/text-of-file.ts';
import type { FileColumn } from '../footer/file-column.ts';
import { FILE, GROUP } from '../footer/numbers.ts';
import type { ParquetFile } from '../footer/parquet-file.ts';
import type { ThriftStruct } from '../footer/thrift.ts';
import { changedColumn, whyUnchanged } from './changed-column.ts';
import { type CopiedColumn, copiedBytes, copiedChunks } from './copied-columns.ts';
import { fileEnd, groupNote, MAGIC, movedChunk, readGroupNote } from './file-end.ts';
import { booleanChunk, numberChunk } from './number-chunk.ts';
import { NumberColumn } from './number-column.ts';
import { type ChunkValues, ValueReader } from './read-values.ts';
import { valueChunk } from './value-chunk.ts';
import { ValueColumn } from './value-column.ts';
import { bytesOfChunks, type WrittenChunk, WrittenGroup } from './written-chunk.ts';

interface RepairedFileOptions {
  /** The file that is written again. Its groups stay. */
  readonly file: ParquetFile;
  /** The columns of the text. */
  readonly columns: readonly FileColumn[];
  /** The number of columns before the appended ones. */
  readonly own: number;
  /** The text that a group had; called once for each. */
  readonly textOf: (group: number) => Buffer;
}

/**
 * Makes a Parquet file of another one and of the text of some of its columns. A column of a group is copied unless a
 * value of it has changed, or the group has more rows. The note of a group is what the footer has of it, as if it were
 * the first one.
 */
export class RepairedFile implements GroupEncoder {
  readonly start = MAGIC;
  readonly #options: RepairedFileOptions;
  /** Rows that the file did not have. */
  #added = 0;

  constructor(options: RepairedFileOptions) {
    this.#options = options;
  }

  /** @throws RowcastError `bad_corrections` */
  async group(
    text: Buffer,
    notes: readonly string[],
    append: (bytes: Uint8Array) => Promise<void>,
  ): Promise<string> {
    const { file } = this.#options;
    const index = notes.length;
    const { written: rewritten, added } = this.#rewritten(index, text);
    const own = file.groups[index]?.struct;
    if (own === undefined) throw new Error(`there is no group ${index}`);
    const group = new WrittenGroup(append);
    let copied: CopiedColumn[] = [];
    const copy = async (): Promise<void> => {
      group.chunks.push(...copiedChunks(file, copied, index, MAGIC.length + group.bytes).chunks);
      for await (const part of copiedBytes(file, copied, index)) await group.write(part);
      copied = [];
    };
    for (const column of file.columns) {
      const written = rewritten.get(column);
      if (written === undefined && added > 0)
        throw new Error(`"${column.name}" lacks the rows that were added`);
      if (written === undefined) {
        copied.push({ column, name: column.name });
        continue;
      }
      await copy();
      await group.add(written);
    }
    await copy();
    own.setStructs(GROUP.columns, group.chunks);
    if (added > 0) own.setInteger(GROUP.rows, own.integer(GROUP.rows) + added, 'i64');
    this.#added += added;
    own.setInteger(GROUP.bytes, bytesOfChunks(group.chunks), 'i64');
    own.setInteger(GROUP.compressedBytes, group.bytes, 'i64');
    // Who knows whether the rows are still sorted.
    if (rewritten.size > 0) own.delete(GROUP.sorting);
    return groupNote(own);
  }

  end(notes: readonly string[]): Iterable<Buffer> {
    const { footer } = this.#options.file;
    footer.setInteger(FILE.rows, footer.integer(FILE.rows) + this.#added, 'i64');
    return fileEnd(footer, { count: notes.length, items: movedGroups(notes) });
  }

  /**
   * The columns of a group that have other values in the text than they had, as if each was the first of a file; all of
   * them, if it has more rows.
   */
  #rewritten(index: number, text: Buffer): { written: Map<FileColumn, WrittenChunk>; added: number } {
    const { file, columns, textOf } = this.#options;
    const written = new Map<FileColumn, WrittenChunk>();
    const formerText = textOf(index);
    let added = 0;
    if (formerText.equals(text)) return { written, added };
    const before = file.groups[index]?.before ?? 0;
    const [old, now] = [this.#valuesOf(formerText), this.#valuesOf(text)];
    for (const [place, column] of columns.entries()) {
      const own = now[place];
      if (!(own instanceof ValueColumn)) throw new Error('a column has no texts');
      const former = old[place];
      if (!(former instanceof ValueColumn)) throw new Error('a column has no texts');
      added = own.rows - former.rows;
      const changed = added > 0 ? 0 : changedRow(own, former);
      if (changed === -1) continue;
      const how = changedColumn(column);
      if (how === undefined)
        throw this.#wrong(column, before + changed, `cannot be changed: ${whyUnchanged(column)}`);
      const typed = new ValueColumn();
      for (let row = 0; row < own.rows; row++) {
        const text = own.at(row);
        if (
          how.type === 'BYTE_ARRAY' &&
          text?.includes(REPLACED) === true &&
          (added > 0 || !isChanged(own, former, row))
        )
          throw this.#wrong(
            column,
            before + row,
            'may have a text that is not UTF-8, and would lose its bytes',
          );
        const value = text === undefined ? null : how.valueOf(text.toString());
        if (value === null) typed.addMissing();
        else if (value === undefined)
          throw this.#wrong(column, before + row, 'cannot have the corrected value');
        else typed.add(value, 0, value.length);
      }
      const { name } = column;
      // Numbers that were appended are written as a run writes them.
      if (how.type === 'DOUBLE' && place >= this.#options.own)
        written.set(column, numberChunk(doublesOf(typed), name));
      else if (how.type === 'BOOLEAN') written.set(column, booleanChunk(typed, name));
      else written.set(column, valueChunk(typed, name, how.type));
    }
    return { written, added };
  }

  #valuesOf(text: Buffer): readonly ChunkValues[] {
    const { file, columns } = this.#options;
    const texts = columns.map(({ name }) => ({ name, type: 'text' as const }));
    const reader = new ValueReader(
      { dialect: COMMAS, columns: texts, nulls: new Set(), file: file.name },
      undefined,
    );
    return reader.read(text, () => 0);
  }

  #wrong({ name, type }: FileColumn, before: number, what: string): RowcastError {
    return new RowcastError(
      'bad_corrections',
      `row ${before + 1}: the column "${sanitize(name)}" (${type.is}) ${what}`,
      {
        location: { file: this.#options.file.name },
        hint: 'Correct the input, and score it again; or score the corrected rows into a file of their own.',
      },
    );
  }
}

function doublesOf(values: ValueColumn): NumberColumn {
  const numbers = new NumberColumn(values.rows);
  for (let row = 0; row < values.rows; row++) numbers.add(values.at(row)?.readDoubleLE() ?? null);
  return numbers;
}

/** What is not UTF-8 is read as this. */
const REPLACED = Buffer.from('\ufffd');

/** The first row whose text differs; -1 if none does. */
function changedRow(now: ValueColumn, old: ValueColumn): number {
  for (let row = 0; row < now.rows; row++) if (isChanged(now, old, row)) return row;
  return -1;
}

function isChanged(now: ValueColumn, old: ValueColumn, row: number): boolean {
  const [text, former] = [now.at(row), old.at(row)];
  return text === undefined ? former !== undefined : former?.equals(text) !== true;
}

/** The groups of a file, each at its place. */
function* movedGroups(notes: readonly string[]): Generator<ThriftStruct> {
  let at = MAGIC.length;
  for (const note of notes) {
    const group = readGroupNote(note);
    const start = at;
    group.setStructs(
      GROUP.columns,
      group.structs(GROUP.columns).map(chunk => movedChunk(chunk, start - MAGIC.length)),
    );
    group.setInteger(GROUP.offset, start, 'i64');
    at += group.integer(GROUP.compressedBytes);
    yield group;
  }
}
