import { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { TextEntry, TextOfFile } from '../../../base/text-of-file.ts';
import type { FileColumn } from '../footer/file-column.ts';
import type { ParquetFile } from '../footer/parquet-file.ts';
import { readGroup } from './group-reader.ts';
import { GroupText } from './group-text.ts';
import { recordParts, type TextKind, type TextPage } from './text-page.ts';

/** What makes the same text of a file again. */
export interface ParquetTextData {
  readonly columns: readonly string[];
  readonly kind: TextKind;
  readonly header: Uint8Array;
}

/** The columns of a Parquet file as a CSV, or as JSON lines, group by group. */
export class ParquetText implements TextOfFile {
  readonly codec = 'parquet';
  readonly #file: ParquetFile;
  readonly #columns: readonly FileColumn[];
  readonly #kind: TextKind;
  readonly #header: Buffer;
  readonly #start: number;
  /** Where the groups begin that were read, in order; the first is that of the file or of an entry. */
  #entries: TextEntry[];
  /** Called with the text of each group that is read, in pieces that are valid until the next one. */
  onText: ((group: number, chunk: Buffer) => void) | undefined;

  /**
   * @param header what is before the first record; by default nothing
   * @param start the offset of the first record, if there is more text before the header
   */
  constructor(
    file: ParquetFile,
    columns: readonly FileColumn[],
    kind: TextKind,
    header: Buffer = Buffer.alloc(0),
    start = header.length,
  ) {
    this.#kind = kind;
    this.#file = file;
    this.#columns = columns;
    this.#header = header;
    this.#start = start;
    this.#entries = [{ offset: start, group: 0 }];
  }

  get footer(): string {
    return this.#file.footerDigest;
  }

  get data(): ParquetTextData {
    return { columns: this.#columns.map(({ name }) => name), kind: this.#kind, header: this.#header };
  }

  /** @throws Error if the file does not have the columns */
  static of(file: ParquetFile, { columns, kind, header }: ParquetTextData): ParquetText {
    const read = columns.map(name => {
      const column = file.values.find(other => other.name === name);
      if (column === undefined) throw new Error(`there is no column ${name}`);
      return column;
    });
    return new ParquetText(file, read, kind, Buffer.from(header));
  }

  async *from(offset: number, entry?: TextEntry): AsyncGenerator<Buffer> {
    const isAfterEntry = entry !== undefined && entry.offset <= offset;
    const first = isAfterEntry ? entry : { offset: this.#start, group: 0 };
    const inHeader = offset - this.#start + this.#header.length;
    if (!isAfterEntry && offset < this.#start) yield this.#header.subarray(Math.max(0, inHeader));
    let at = first.offset;
    this.#entries = [first];
    for await (const { group, chunks } of this.#groups(first.group)) {
      if (group > first.group) this.#entries.push({ offset: at, group });
      for (const chunk of chunks) {
        const before = at;
        at += chunk.length;
        if (at <= offset) continue;
        const own = chunk.subarray(Math.max(0, offset - before));
        this.onText?.(group, own);
        yield own;
      }
    }
  }

  /** The text of each group of rows. */
  async *ofGroups(): AsyncGenerator<Buffer> {
    for await (const { chunks } of this.#groups(0))
      yield Buffer.concat(Array.from(chunks, chunk => Buffer.from(chunk)));
  }

  async *#groups(first: number): AsyncGenerator<{ group: number; chunks: Iterable<Buffer> }> {
    const names = this.#columns.map(({ name }) => name);
    const text = new GroupText(recordParts(this.#kind, names), BatchMemory.create());
    for (let group = first; group < this.#file.groups.length; group++) {
      text.begin();
      const accept = (page: TextPage): TextPage => text.accept(page);
      const columns = await readGroup(this.#file, this.#columns, { index: group, kind: this.#kind, accept });
      yield { group, chunks: text.write(this.#file.groups[group]?.rows ?? 0, columns) };
    }
  }

  entryBefore(offset: number): TextEntry | undefined {
    // Usually one of the last.
    return this.#entries.findLast(entry => entry.offset <= offset);
  }
}
