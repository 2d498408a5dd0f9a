import zlib from 'node:zlib';
import { RowcastError } from '../../../base/errors.ts';
import { joinRanges } from '../footer/chunk-table.ts';
import type { FileColumn } from '../footer/file-column.ts';
import { CHUNK, CODECS, COLUMN, ELEMENT, TYPES } from '../footer/numbers.ts';
import { badParquet, type ParquetFile, uncompressedBytes } from '../footer/parquet-file.ts';
import { ThriftStruct } from '../footer/thrift.ts';
import {
  type Compressors,
  decompressLz4,
  decompressLz4Raw,
  decompressZstd,
  type FileMetaData,
  parquetRead,
  type SubColumnData,
  snappyUncompress,
} from '../libraries.ts';
import { decodeChunk } from './decode-chunk.ts';
import { CellWriter, type TextKind, type TextPage, valueAdder } from './text-page.ts';
import type { Physical } from './value-text.ts';

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
  // It decodes whole chunks, so some of their pages are decompressed again.
  const ofLibrary = decompressorsUpTo(bytesOfPages + MAX_EXCESS);
  const unused = MAX_UNUSED * Math.min(columns.length, MAX_WITH_UNUSED);
  const dictionaries = { left: columns.length * group.rows + unused };
  const read: TextPage[][] = [];
  for (const { column, chunk, from, to } of chunks) {
    const part = parts.findLast(part => part.from <= from);
    if (part === undefined) throw new Error('a range was not read');
    const bytes = part.bytes.subarray(from - part.from, to - part.from);
    try {
      const own = { rows: group.rows, kind };
      const pages = decodeChunk(bytes, chunk, column, { ...own, decompressors, dictionaries });
      const all =
        pages ?? (await readByLibrary(column, chunk, { bytes, from, ...own, decompressors: ofLibrary }));
      read.push(all.map(accept));
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

interface LibraryOptions {
  readonly bytes: Buffer;
  /** Where they are in the file. */
  readonly from: number;
  readonly rows: number;
  readonly kind: TextKind;
  readonly decompressors: Compressors;
}

/** Decodes a column of a group with hyparquet, which knows all encodings. */
async function readByLibrary(
  column: FileColumn,
  chunk: ThriftStruct,
  { bytes, from, rows, kind, decompressors }: LibraryOptions,
): Promise<TextPage[]> {
  const found: SubColumnData[] = [];
  await parquetRead({
    file: {
      byteLength: from + bytes.length,
      slice: (start, end = from + bytes.length) =>
        new Uint8Array(bytes.subarray(start - from, end - from)).buffer,
    },
    metadata: physicalMetadata(column, chunk, rows),
    compressors: decompressors,
    utf8: false,
    parsers: { stringFromBytes: own => own },
    onPage: page => found.push(page),
  });
  let row = 0;
  for (const { rowStart, rowEnd, columnData } of found) {
    if (rowStart !== row || rowEnd - rowStart !== columnData.length) row = Number.NaN;
    row += columnData.length;
  }
  if (row !== rows) throw new Error('it does not have all rows');
  const add = valueAdder(column, kind);
  return found.map(({ columnData }) => pageOf(columnData, kind, add));
}

/** What hyparquet gives for a row: a member of a struct in as many lists as structs around it may be missing. */
type Assembled = Physical | null | undefined | readonly Assembled[];

/** The value of a row; null if it is missing, as it is if a struct around it is. */
function innermost(assembled: Assembled): Physical | null | undefined {
  let value = assembled;
  while (Array.isArray(value)) value = value.length === 0 ? null : value[0];
  return value as Physical | null | undefined; // `isArray` does not know lists that cannot be changed.
}

function pageOf(
  values: ArrayLike<Assembled>,
  kind: TextKind,
  add: (value: Physical, into: CellWriter) => void,
): TextPage {
  const rows = values.length;
  const cells = new CellWriter(rows, kind);
  for (let row = 0; row < rows; row++) {
    const value = innermost(values[row]);
    // A place beyond the end of a dictionary has no value, not even a missing one.
    if (value === undefined) throw new Error('a value is not in its dictionary');
    if (value === null) cells.addMissing();
    else add(value, cells);
  }
  return { is: 'cells', rows, codes: undefined, ...cells.cells };
}

/**
 * The metadata of a file with one column in one group, whose type says no more than how values are stored. hyparquet
 * then gives these as they are: it makes doubles of decimals, and of microseconds a date with milliseconds.
 *
 * @param rows of the group
 */
function physicalMetadata(column: FileColumn, chunk: ThriftStruct, rows: number): FileMetaData {
  const [element = new ThriftStruct()] = column.elements;
  const { is } = column.type;
  const own = chunk.struct(CHUNK.metadata);
  const number = (id: number): bigint => BigInt(own.integer(id));
  const schema: object[] = [
    {
      ...elementOf(element),
      type: TYPES[element.integer(ELEMENT.type)],
      type_length: element.has(ELEMENT.typeLength) ? element.integer(ELEMENT.typeLength) : undefined,
      // With a type, even a wrong one, the two numbers of an INT96 stay apart.
      converted_type: is === 'int96' ? 'INT_64' : is === 'text' ? 'UTF8' : undefined,
    },
  ];
  // The structs around the column are as if they had no other member.
  for (let { struct } = column; struct !== undefined; struct = struct.outer)
    schema.unshift({ ...elementOf(struct.element), num_children: 1 });
  const meta = {
    type: TYPES[own.integer(COLUMN.type)],
    encodings: [],
    path_in_schema: own.items(COLUMN.path).map(String),
    codec: CODECS[own.integer(COLUMN.codec)],
    num_values: number(COLUMN.values),
    total_uncompressed_size: number(COLUMN.uncompressedBytes),
    total_compressed_size: number(COLUMN.compressedBytes),
    data_page_offset: number(COLUMN.dataPage),
    dictionary_page_offset: own.has(COLUMN.dictionaryPage) ? number(COLUMN.dictionaryPage) : undefined,
  };
  const num_rows = BigInt(rows);
  return {
    version: 2,
    schema: [{ name: 'schema', num_children: 1 }, ...schema],
    num_rows,
    row_groups: [{ columns: [{ file_offset: 0n, meta_data: meta }], total_byte_size: 0n, num_rows }],
    metadata_length: 0,
  } as FileMetaData; // the numbers of the type and the codec were checked
}

const elementOf = (element: ThriftStruct): object => ({
  name: element.text(ELEMENT.name),
  repetition_type: element.has(ELEMENT.repetition)
    ? REPETITIONS[element.integer(ELEMENT.repetition)]
    : undefined,
});

const REPETITIONS = ['REQUIRED', 'OPTIONAL', 'REPEATED'] as const;

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
