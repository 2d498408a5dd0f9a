import { createHash } from 'node:crypto';
import { RowcastError } from '../../../base/errors.ts';
import { counted } from '../../../base/number-text.ts';
import type { StoredBytes } from '../../../base/text-of-file.ts';
import { FIRST_BYTES } from '../../../base/unsupported-files.ts';
import { refuseUnsupported } from '../../refuse-unsupported.ts';
import { type ColumnType, columnType } from './column-type.ts';
import { CHUNK, COLUMN, ELEMENT, FILE, GROUP, REPEATED } from './numbers.ts';
import { readStruct, type ThriftStruct } from './thrift.ts';

/** A Parquet file, as its footer describes it. */
export interface ParquetFile {
  /** For messages. */
  readonly name: string;
  readonly stored: StoredBytes;
  readonly footer: ThriftStruct;
  /** SHA-256 of the footer's bytes, in hex. */
  readonly footerDigest: string;
  /** Its columns: the children of the root of its schema. */
  readonly columns: readonly FileColumn[];
  /** The groups that have rows. */
  readonly groups: readonly RowGroup[];
  readonly rows: number;
}

/** A column, which may have columns in it. */
export interface FileColumn {
  readonly name: string;
  /** Its elements in the schema, itself first. */
  readonly elements: readonly ThriftStruct[];
  /** The places of its chunks in each group: `[from, to)`. */
  readonly leaves: readonly [from: number, to: number];
  /** What its values are, if it has no columns in it. */
  readonly type: ColumnType;
}

export interface RowGroup {
  readonly struct: ThriftStruct;
  /** Those of all leaves of the schema, in order. */
  readonly chunks: readonly ThriftStruct[];
  readonly rows: number;
  /** Row before the first one, counted from 0. */
  readonly before: number;
}

/** The bytes at both ends of a file; those of an encrypted one differ. */
const MAGIC = 'PAR1';
const ENCRYPTED = 'PARE';
/** Bytes that are read at once: most footers are smaller. */
const TAIL_BYTES = 256 << 10;
/** A footer of 10,000 columns and 100 groups takes as much. */
const MAX_FOOTER_BYTES = 256 << 20;

/**
 * Reads the footer of a file.
 *
 * @param maxFooterBytes reading it takes some eighty times as much memory, and 300 times if it was made to take most
 * @throws RowcastError `bad_parquet`, `unreadable_input`, `too_many_columns`
 */
export async function openParquet(
  stored: StoredBytes,
  name: string,
  maxFooterBytes = MAX_FOOTER_BYTES,
): Promise<ParquetFile> {
  try {
    return describe(await footerOf(stored, name, maxFooterBytes), stored, name);
  } catch (error) {
    if (error instanceof RowcastError) throw error;
    throw badParquet(name, `its footer is damaged: ${(error as Error).message}`);
  }
}

export function badParquet(file: string, what: string, cause?: unknown): RowcastError {
  return new RowcastError('bad_parquet', `the Parquet file cannot be read: ${what}`, {
    location: { file },
    cause,
    hint: 'Write or transfer it again.',
  });
}

async function footerOf({ size, read }: StoredBytes, name: string, maxFooterBytes: number): Promise<Buffer> {
  const isShort = size < 3 * MAGIC.length;
  const first = isShort ? '' : (await read(0, MAGIC.length)).toString('latin1');
  if (first !== MAGIC && first !== ENCRYPTED) {
    refuseUnsupported(await read(0, Math.min(size, FIRST_BYTES)), { name }, 'Parquet');
    throw badParquet(name, 'it does not begin as one: it may be compressed, or have another format');
  }
  const tail = isShort ? Buffer.alloc(0) : await read(Math.max(0, size - TAIL_BYTES), size);
  const magic = tail.toString('latin1', tail.length - MAGIC.length);
  if (magic === ENCRYPTED) throw badParquet(name, 'it is encrypted');
  if (magic !== MAGIC) throw badParquet(name, 'it is cut off, or something follows its end');
  const length = tail.readUInt32LE(tail.length - 8);
  if (length > size - 3 * MAGIC.length) throw badParquet(name, 'the size of its footer is wrong');
  if (length > maxFooterBytes)
    throw new RowcastError(
      'too_many_columns',
      `${counted(length)} bytes describe the columns and row groups of the file; the limit is ${counted(maxFooterBytes)}`,
      { location: { file: name }, hint: 'Write it with fewer columns, or with larger row groups.' },
    );
  const end = tail.length - 2 * MAGIC.length;
  return length <= end ? tail.subarray(end - length, end) : read(size - 8 - length, size - 8);
}

function describe(bytes: Buffer, stored: StoredBytes, name: string): ParquetFile {
  const footer = readStruct(bytes);
  if (footer.has(FILE.encryption)) throw badParquet(name, 'it is encrypted');
  const columns = columnsOf(footer.structs(FILE.schema));
  const leaves = columns.at(-1)?.leaves[1] ?? 0;
  const groups: RowGroup[] = [];
  let before = 0;
  for (const struct of footer.structs(FILE.groups)) {
    const rows = struct.integer(GROUP.rows);
    const chunks = struct.structs(GROUP.columns);
    if (chunks.length !== leaves) throw new Error('a group does not have all columns');
    if (rows < 0) throw new Error('a group has a negative number of rows');
    // Some writers make groups without rows, whose columns are nowhere.
    if (rows === 0) continue;
    for (const chunk of chunks) checkChunk(chunk, stored.size, name);
    groups.push({ struct, chunks, rows, before });
    before += rows;
  }
  if (before !== footer.integer(FILE.rows)) throw new Error('the groups do not have all rows');
  const footerDigest = createHash('sha256').update(bytes).digest('hex');
  return { name, stored, footer, footerDigest, columns, groups, rows: before };
}

/** The children of the root, of a tree whose elements are listed depth first. */
function columnsOf([root, ...elements]: readonly ThriftStruct[]): FileColumn[] {
  if (root === undefined) throw new Error('it has no schema');
  const columns: FileColumn[] = [];
  let leaf = 0;
  for (let at = 0; at < elements.length; ) {
    const end = endOfTree(elements, at);
    const own = elements.slice(at, end);
    const [first] = own;
    if (first === undefined) break;
    const count = own.filter(element => !hasChildren(element)).length;
    columns.push({
      name: first.text(ELEMENT.name),
      elements: own,
      leaves: [leaf, leaf + count],
      type: typeOf(first),
    });
    leaf += count;
    at = end;
  }
  const children = root.has(ELEMENT.children) ? root.integer(ELEMENT.children) : 0;
  if (columns.length !== children) throw new Error('its schema does not have all columns');
  return columns;
}

const hasChildren = (element: ThriftStruct): boolean =>
  element.has(ELEMENT.children) && element.integer(ELEMENT.children) > 0;

function endOfTree(elements: readonly ThriftStruct[], start: number): number {
  let at = start;
  for (let open = 1; open > 0; open--, at++) {
    const element = elements[at];
    if (element === undefined) throw new Error('its schema is cut off');
    if (hasChildren(element)) open += element.integer(ELEMENT.children);
  }
  return at;
}

function typeOf(element: ThriftStruct): ColumnType {
  if (hasChildren(element) || !element.has(ELEMENT.type)) return { is: 'unsupported', what: 'columns in it' };
  if (element.has(ELEMENT.repetition) && element.integer(ELEMENT.repetition) === REPEATED)
    return { is: 'unsupported', what: 'a list' };
  return columnType(element);
}

function checkChunk(chunk: ThriftStruct, size: number, name: string): void {
  if (chunk.has(CHUNK.encryption) || chunk.has(CHUNK.encrypted)) throw badParquet(name, 'it is encrypted');
  if (chunk.has(CHUNK.path)) throw badParquet(name, 'its columns are in other files');
  const { from, to } = chunkRange(chunk);
  if (chunk.struct(CHUNK.metadata).integer(COLUMN.uncompressedBytes) < 0)
    throw new Error('the size of a column is negative');
  // A copy of the column has them too: encodings, key_value_metadata and encoding_stats.
  for (const list of [2, 8, 13]) chunk.struct(CHUNK.metadata).items(list);
  // Writing a copy of the column needs its path.
  if (chunk.struct(CHUNK.metadata).items(COLUMN.path).length === 0) throw new Error('a column has no path');
  if (from < MAGIC.length || from > to || to > size) throw new Error('a column is outside of the file');
}

/** Where a chunk is in the file: its dictionary, if it has one, and then its data. */
export function chunkRange(chunk: ThriftStruct): { from: number; to: number } {
  const column = chunk.struct(CHUNK.metadata);
  const data = column.integer(COLUMN.dataPage);
  const dictionary = column.has(COLUMN.dictionaryPage) ? column.integer(COLUMN.dictionaryPage) : 0;
  const from = dictionary > 0 ? Math.min(dictionary, data) : data;
  return { from, to: from + column.integer(COLUMN.compressedBytes) };
}

/** The bytes that a column takes in a group, uncompressed. */
export const uncompressedBytes = (group: RowGroup, column: FileColumn): number =>
  chunksOf(group, column).reduce(
    (bytes, chunk) => bytes + chunk.struct(CHUNK.metadata).integer(COLUMN.uncompressedBytes),
    0,
  );

/** The chunks that a column has in a group. */
export const chunksOf = ({ chunks }: RowGroup, { leaves }: FileColumn): ThriftStruct[] =>
  chunks.slice(...leaves);
