import { RowcastError } from '../../../base/errors.ts';
import type { FileColumn } from '../footer/file-column.ts';
import { joinRanges } from '../footer/join-ranges.ts';
import { badParquet, type ParquetFile, uncompressedBytes } from '../footer/parquet-file.ts';
import type { ThriftStruct } from '../footer/thrift.ts';
import { type Compressors, parquetRead, type SubColumnData } from '../libraries.ts';
import { decodeChunk } from './decode-chunk.ts';
import { decompressorsUpTo } from './decompress.ts';
import { physicalMetadata } from './physical-metadata.ts';
import type { TextKind } from './text-kind.ts';
import { CellWriter, type TextPage, valueAdder } from './text-page.ts';
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
 * PyArrow writes all categories of a column, also those that no row of the group has: so many values of a dictionary, in so many
 * columns. Each takes at least eight bytes.
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
