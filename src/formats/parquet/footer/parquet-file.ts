import { createHash } from 'node:crypto';
import { type ErrorDetails, RowcastError } from '../../../base/errors.ts';
import { counted } from '../../../base/number-text.ts';
import type { StoredBytes } from '../../../base/text-of-file.ts';
import { RECOGNIZED_BYTES } from '../../../base/unsupported-files.ts';
import { MAX_COLUMNS } from '../../csv/header.ts';
import { refuseUnsupported } from '../../refuse-unsupported.ts';
import { withWideIntegers } from './arrow-fields.ts';
import { checkFooterTypes } from './check-types.ts';
import { type ByteRange, ChunkTable, type RowGroup, UnreadableColumns } from './chunk-table.ts';
import { columnsOf, type FileColumn, mayBeMissing, valueColumns } from './file-column.ts';
import { CHUNK, COLUMN, FILE, KEY_VALUE, STATISTICS } from './numbers.ts';
import { readStructAt, type ThriftStruct } from './thrift.ts';
import { ThriftCursor } from './thrift-cursor.ts';

/** A Parquet file, as its footer describes it. */
export interface ParquetFile {
  /** For messages. */
  readonly name: string;
  readonly stored: StoredBytes;
  /** Its footer, without the groups. */
  readonly footer: ThriftStruct;
  /** SHA-256 of the footer's bytes, in hex. */
  readonly footerDigest: string;
  /** Its columns: the children of the root of its schema, which may be structs. */
  readonly columns: readonly FileColumn[];
  /** Those that have values: in the place of a struct, its members. */
  readonly values: readonly FileColumn[];
  /** The groups that have rows. */
  readonly groups: readonly RowGroup[];
  readonly rows: number;
}

/** The bytes at both ends of a file; those of an encrypted one differ. */
const MAGIC = 'PAR1';
const ENCRYPTED = 'PARE';
/** Bytes that are read at once: most footers are smaller. */
const TAIL_BYTES = 256 << 10;
/** A footer of 10,000 columns and 100 groups takes as much. */
const MAX_FOOTER_BYTES = 256 << 20;

export interface FooterLimits {
  /** The most bytes of the footer, which stays in memory as it is; by default 256 MiB. */
  maxFooterBytes?: number | undefined;
  /**
   * The most columns, with those in other columns: each takes some hundred times its bytes. By default as many as of
   * CSV.
   */
  maxColumns?: number | undefined;
}

/**
 * Reads the footer of a file.
 *
 * @throws RowcastError `bad_parquet`, `unreadable_input`, `too_many_columns`
 */
export async function openParquet(
  stored: StoredBytes,
  name: string,
  { maxFooterBytes = MAX_FOOTER_BYTES, maxColumns = MAX_COLUMNS }: FooterLimits = {},
): Promise<ParquetFile> {
  try {
    return describe(await footerOf(stored, name, maxFooterBytes), stored, { name, maxColumns });
  } catch (error) {
    if (error instanceof RowcastError) throw error;
    if (error instanceof UnreadableColumns) throw badParquet(name, error.message);
    throw badParquet(name, `its footer is damaged: ${(error as Error).message}`);
  }
}

export function badParquet(
  file: string,
  what: string,
  more: Pick<ErrorDetails, 'cause' | 'isUnfinished'> = {},
): RowcastError {
  return new RowcastError('bad_parquet', `the Parquet file cannot be read: ${what}`, {
    location: { file },
    ...more,
    hint: 'Write or transfer it again.',
  });
}

async function footerOf({ size, read }: StoredBytes, name: string, maxFooterBytes: number): Promise<Buffer> {
  const isShort = size < 3 * MAGIC.length;
  const first = isShort ? '' : (await read(0, MAGIC.length)).toString('latin1');
  if (first !== MAGIC && first !== ENCRYPTED) {
    refuseUnsupported(await read(0, Math.min(size, RECOGNIZED_BYTES)), { name }, 'Parquet');
    throw badParquet(name, 'it does not begin as one: it may be compressed, or have another format', {
      isUnfinished: isShort,
    });
  }
  const tail = isShort ? Buffer.alloc(0) : await read(Math.max(0, size - TAIL_BYTES), size);
  const magic = tail.toString('latin1', tail.length - MAGIC.length);
  if (magic === ENCRYPTED) throw badParquet(name, 'it is encrypted');
  if (magic !== MAGIC)
    throw badParquet(name, 'it is cut off, or something follows its end', { isUnfinished: true });
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

function describe(
  bytes: Buffer,
  stored: StoredBytes,
  { name, maxColumns }: { name: string; maxColumns: number },
): ParquetFile {
  checkFooterTypes(new ThriftCursor(bytes, 0));
  const table = new ChunkTable(bytes);
  const { struct: footer } = readStructAt(bytes, 0, {
    id: FILE.groups,
    read: cursor => table.read(cursor, stored.size),
  });
  if (footer.has(FILE.encryption)) throw badParquet(name, 'it is encrypted');
  // The root is no column.
  const count = footer.unreadItems(FILE.schema) - 1;
  if (count > maxColumns)
    throw new RowcastError(
      'too_many_columns',
      `the file has ${counted(count)} columns, with those in other columns; the limit is ${counted(maxColumns)}`,
      { location: { file: name }, hint: 'Write it with fewer columns.' },
    );
  // They are needed at the end of a run that copies columns.
  footer.structs(FILE.columnOrders);
  for (const pair of footer.structs(FILE.keyValues))
    for (const id of Object.values(KEY_VALUE)) if (id === KEY_VALUE.key || pair.has(id)) pair.text(id);
  const columns = withWideIntegers(columnsOf(footer.structs(FILE.schema)), footer);
  const leaves = columns.at(-1)?.leaves[1] ?? 0;
  const { groups, rows } = table;
  if ((table.leaves ?? leaves) !== leaves) throw new Error('a group does not have all columns');
  if (rows !== footer.integer(FILE.rows)) throw new Error('the groups do not have all rows');
  const footerDigest = createHash('sha256').update(bytes).digest('hex');
  const values = valueColumns(columns);
  return { name, stored, footer, footerDigest, columns, values, groups, rows };
}

/** Where the chunks of a column are in the file. */
export const rangesOf = (group: RowGroup, { leaves }: FileColumn): ByteRange[] =>
  between(leaves).map(leaf => group.range(leaf));

/** The bytes that a column takes in a group, uncompressed. */
export const uncompressedBytes = (group: RowGroup, { leaves }: FileColumn): number =>
  between(leaves).reduce((bytes, leaf) => bytes + group.uncompressedBytes(leaf), 0);

/** What the footer says of the chunks that a column has in a group. */
export const columnChunksOf = (group: RowGroup, { leaves }: FileColumn): ThriftStruct[] =>
  between(leaves).map(leaf => group.chunk(leaf));

const between = ([from, to]: readonly [number, number]): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

/**
 * What the footer says of the values of rows.
 *
 * @returns `some` if each row has a value in some column; `none` if rows may have none, because all columns of a group
 *   lack values; `unknown` if statistics that would say it are missing
 */
export function valuesInRows({ columns, groups }: ParquetFile): 'some' | 'none' | 'unknown' {
  if (columns.some(({ type, elements: [own] }) => type.is !== 'struct' && !mayBeMissing(own))) return 'some';
  const leaves = columns.at(-1)?.leaves[1] ?? 0;
  let isFilled = true;
  for (const group of groups) {
    let known = 0;
    let leaf = 0;
    for (; leaf < leaves; leaf++) {
      const metadata = group.chunk(leaf).struct(CHUNK.metadata);
      const statistics = metadata.has(COLUMN.statistics) ? metadata.struct(COLUMN.statistics) : undefined;
      if (statistics?.has(STATISTICS.missing) !== true) continue;
      if (statistics.integer(STATISTICS.missing) === 0) break;
      known++;
    }
    if (leaf < leaves) continue;
    isFilled = false;
    if (known === leaves) return 'none';
  }
  return isFilled ? 'some' : 'unknown';
}
