import type { TextEntry, TextOfFile } from '../../../base/text-of-file.ts';
import type { FileColumn, ParquetFile } from '../footer/parquet-file.ts';
import { readGroup } from './group-reader.ts';
import { GroupText } from './group-text.ts';
import { recordParts, type TextKind } from './text-kind.ts';

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
  /** Where the groups begin that were read, in order; the first is that of the file or of an entry. */
  #entries: TextEntry[];

  /** @param header what is before the first record */
  constructor(file: ParquetFile, columns: readonly FileColumn[], kind: TextKind, header: Buffer) {
    this.#kind = kind;
    this.#file = file;
    this.#columns = columns;
    this.#header = header;
    this.#entries = [{ offset: header.length, group: 0 }];
  }

  get data(): ParquetTextData {
    return { columns: this.#columns.map(({ name }) => name), kind: this.#kind, header: this.#header };
  }

  /** @throws Error if the file does not have the columns */
  static of(file: ParquetFile, { columns, kind, header }: ParquetTextData): ParquetText {
    const read = columns.map(name => {
      const column = file.columns.find(other => other.name === name);
      if (column === undefined) throw new Error(`there is no column ${name}`);
      return column;
    });
    return new ParquetText(file, read, kind, Buffer.from(header));
  }

  async *from(offset: number, entry?: TextEntry): AsyncGenerator<Buffer> {
    const isAfterEntry = entry !== undefined && entry.offset <= offset;
    const first = isAfterEntry ? entry : { offset: this.#header.length, group: 0 };
    if (!isAfterEntry && offset < this.#header.length) yield this.#header.subarray(offset);
    let at = first.offset;
    this.#entries = [first];
    const text = new GroupText(
      recordParts(
        this.#kind,
        this.#columns.map(({ name }) => name),
      ),
    );
    for (let group = first.group; group < this.#file.groups.length; group++) {
      if (group > first.group) this.#entries.push({ offset: at, group });
      const columns = await readGroup(this.#file, this.#columns, { index: group, kind: this.#kind });
      for (const chunk of text.write(this.#file.groups[group]?.rows ?? 0, columns)) {
        const before = at;
        at += chunk.length;
        if (at > offset) yield chunk.subarray(Math.max(0, offset - before));
      }
    }
  }

  entryBefore(offset: number): TextEntry | undefined {
    let entry = this.#entries[0];
    for (const next of this.#entries) if (next.offset <= offset) entry = next;
    return entry !== undefined && entry.offset <= offset ? entry : undefined;
  }
}
