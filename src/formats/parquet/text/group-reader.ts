import zlib from 'node:zlib';
import { badParquet, type FileColumn, type ParquetFile } from '../footer/parquet-file.ts';
import {
  type Compressors,
  decompressLz4,
  decompressLz4Raw,
  decompressSnappy,
  decompressZstd,
  type FileMetaData,
  parquetRead,
  type SubColumnData,
} from '../libraries.ts';
import { physicalMetadata } from './physical-metadata.ts';
import type { Physical } from './value-text.ts';

/** A value, or the cell of a text; null if it is missing, and undefined if it cannot be read. */
export type Cell = Physical | Buffer | null | undefined;

/** The values of a column in a group, page by page. */
export type ColumnPages = readonly { readonly rowStart: number; readonly values: ArrayLike<Cell> }[];

/** Decodes the columns of a file, one group after the other. */
export class GroupReader {
  readonly #file: ParquetFile;
  readonly #columns: readonly FileColumn[];
  readonly #metadata: FileMetaData;

  constructor(file: ParquetFile, columns: readonly FileColumn[]) {
    this.#file = file;
    this.#columns = columns;
    this.#metadata = physicalMetadata(file, columns);
  }

  /**
   * Reads a group.
   *
   * @param textCell makes of the bytes of a text what its cells are; called once for a text in a dictionary
   * @returns the pages of each column, in order
   * @throws RowcastError `bad_parquet`, `unreadable_input`
   */
  async read(index: number, textCell: (bytes: Uint8Array) => Buffer): Promise<ColumnPages[]> {
    const { groups, stored, name } = this.#file;
    const group = groups[index];
    if (group === undefined) throw new Error(`there is no group ${index}`);
    const pages = new Map(this.#columns.map(column => [column.name, [] as SubColumnData[]]));
    let failure: unknown;
    const file = {
      byteLength: stored.size,
      async slice(from: number, to = stored.size) {
        const bytes = await stored.read(from, to).catch(error => {
          failure ??= error;
          throw error;
        });
        return bytes.buffer as ArrayBuffer; // of its own: `read` allocates it
      },
    };
    try {
      await parquetRead({
        file,
        metadata: this.#metadata,
        rowStart: group.before,
        rowEnd: group.before + group.rows,
        compressors: decompressors,
        utf8: false,
        parsers: { stringFromBytes: textCell },
        onPage: page => pages.get(page.pathInSchema[0] ?? '')?.push(page),
      });
    } catch (error) {
      throw failure ?? badParquet(name, (error as Error).message, error);
    }
    return this.#columns.map(column => checked(pages.get(column.name) ?? [], group, column, name));
  }
}

/** All pages of a group, one after the other. */
function checked(
  pages: readonly SubColumnData[],
  { before, rows }: { before: number; rows: number },
  column: FileColumn,
  file: string,
): ColumnPages {
  let row = before;
  for (const { rowStart, rowEnd, columnData } of pages) {
    if (rowStart !== row || rowEnd - rowStart !== columnData.length) row = Number.NaN;
    row += columnData.length;
  }
  if (row !== before + rows) throw badParquet(file, `the column "${column.name}" does not have all rows`);
  return pages.map(({ rowStart, columnData }) => ({ rowStart: rowStart - before, values: columnData }));
}

/** The types of Node are those of a version that does not have it. */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?: typeof zlib.brotliDecompressSync };

/** zlib is used where it can, because it is faster and checks what it decompresses. Node has had zstd since 22.15. */
const decompressors: Compressors = unlessEmpty({
  SNAPPY: decompressSnappy,
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
  GZIP: (bytes, length) => zlib.gunzipSync(bytes, { maxOutputLength: length }),
  BROTLI: (bytes, length) => zlib.brotliDecompressSync(bytes, { maxOutputLength: length }),
  ZSTD: (bytes, length) => zstdDecompressSync?.(bytes, { maxOutputLength: length }) ?? decompressZstd(bytes),
});

/** A page without values may have no bytes, which are not compressed data. */
function unlessEmpty(all: Compressors): Compressors {
  return Object.fromEntries(
    Object.entries(all).map(([codec, decompress]) => [
      codec,
      (bytes: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decompress(bytes, length)),
    ]),
  );
}
