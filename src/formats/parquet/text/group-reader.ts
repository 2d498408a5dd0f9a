import zlib from 'node:zlib';
import { RowcastError } from '../../../base/errors.ts';
import { joinRanges } from '../footer/chunk-table.ts';
import type { FileColumn } from '../footer/file-column.ts';
import { badParquet, type ParquetFile, uncompressedBytes } from '../footer/parquet-file.ts';
import {
  type Compressors,
  decompressLz4,
  decompressLz4Raw,
  decompressZstd,
  snappyUncompress,
} from '../libraries.ts';
import { decodeChunk } from './decode-chunk.ts';
import type { TextKind, TextPage } from './text-page.ts';

/**
 * Reads the columns of a group as cells.
 *
 * @param accept what is done with each page, in order; it throws if the page is damaged
 * @returns the pages of each column, in order, with as many rows as the group
 * @throws RowcastError `bad_parquet`, `unreadable_input`, `unsupported_column`
 */
export async function readGroup(
  file: ParquetFile,
  columns: readonly FileColumn[],
  { index, kind, accept }: { index: number; kind: TextKind; accept: (page: TextPage) => TextPage },
): Promise<TextPage[][]> {
  const group = file.groups[index];
  if (group === undefined) throw new Error(`there is no group ${index}`);
  const chunks = columns.map(column => {
    // It has no columns in it.
    const [leaf] = column.leaves;
    return { column, chunk: group.chunk(leaf), ...group.range(leaf) };
  });
  const parts: { from: number; bytes: Buffer }[] = [];
  for (const { from, to } of joinRanges(chunks))
    parts.push({ from, bytes: await file.stored.read(from, to) });
  const bytesOfPages = columns.reduce((sum, column) => sum + uncompressedBytes(group, column), 0);
  const decompressors = decompressorsUpTo(bytesOfPages + MAX_EXCESS);
  const unused = MAX_UNUSED * Math.min(columns.length, MAX_WITH_UNUSED);
  const dictionaries = { left: columns.length * group.rows + unused };
  const read: TextPage[][] = [];
  for (const { column, chunk, from, to } of chunks) {
    const part = parts.findLast(part => part.from <= from);
    if (part === undefined) throw new Error('a range was not read');
    const bytes = part.bytes.subarray(from - part.from, to - part.from);
    try {
      const options = { rows: group.rows, kind, decompressors, dictionaries };
      read.push(decodeChunk(bytes, chunk, column, options).map(accept));
    } catch (error) {
      if (error instanceof RowcastError) throw error;
      throw badParquet(file.name, `the column "${column.name}": ${(error as Error).message}`, {
        cause: error,
      });
    }
  }
  return read;
}

/** Some writers count less bytes than they write. Pages that are larger by more could take any amount of memory. */
const MAX_EXCESS = 64 << 20;

/**
 * PyArrow writes all categories of a column, also those that no row of the group has: so many values of a dictionary,
 * in so many columns. Each takes at least eight bytes.
 */
const MAX_UNUSED = 1 << 20;
const MAX_WITH_UNUSED = 16;

/** The types of Node are those of a version that does not have it: Node has had zstd since 22.15. */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?: typeof zlib.brotliDecompressSync };

/**
 * zlib is used where it can, because it is faster and checks what it decompresses. The others write into as many bytes
 * as the page says that it has, whatever its compressed data says.
 */
const decompressors: Compressors = unlessEmpty({
  SNAPPY(bytes, length) {
    const plain = new Uint8Array(length);
    snappyUncompress(bytes, plain);
    return plain;
  },
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
  GZIP: (bytes, length) => zlib.gunzipSync(bytes, { maxOutputLength: length }),
  BROTLI: (bytes, length) => zlib.brotliDecompressSync(bytes, { maxOutputLength: length }),
  ZSTD: (bytes, length) =>
    zstdDecompressSync?.(bytes, { maxOutputLength: length }) ?? decompressZstd(bytes, new Uint8Array(length)),
});

/** Decompresses pages that have no more bytes in all than `most`; others throw an Error, before any memory is taken. */
export function decompressorsUpTo(most: number): Compressors {
  let left = most;
  return Object.fromEntries(
    Object.entries(decompressors).map(([codec, decompress]) => [
      codec,
      (bytes: Uint8Array, length: number) => {
        left -= length;
        if (length < 0 || left < 0) throw new Error('its pages are larger than the footer says');
        return decompress(bytes, length);
      },
    ]),
  );
}

/** A page without values may have no bytes, which are not compressed data. */
function unlessEmpty(all: Compressors): Compressors {
  return Object.fromEntries(
    Object.entries(all).map(([codec, decompress]) => [
      codec,
      (bytes: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decompress(bytes, length)),
    ]),
  );
}
