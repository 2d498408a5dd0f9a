import { RowcastError } from '../../base/errors.ts';
import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { writeRow } from '../../base/write-row.ts';
import type { ColumnOptions, WrittenFile } from '../column-options.ts';
import { dialectOf } from '../csv/dialect.ts';
import { readHeader } from '../csv/header.ts';
import type { Opened } from '../format.ts';
import { outputColumns } from '../output-columns.ts';
import type { ReadOptions } from '../read-options.ts';
import type { ByteSource } from '../records/byte-source.ts';
import { type FileColumn, openParquet, type ParquetFile, uncompressedBytes } from './footer/parquet-file.ts';
import { ParquetLayout } from './parquet-layout.ts';
import { ParquetText } from './text/parquet-text.ts';

const MAX_GROUP_BYTES = 512 << 20;

/**
 * Reads the footer of a file, and makes its source one of the text of the columns that are needed.
 *
 * @throws RowcastError `needs_file`, `bad_parquet`, `unsupported_column`, `group_too_large`, `missing_columns`
 */
export async function readParquetLayout(
  source: ByteSource,
  options: ReadOptions & ColumnOptions,
): Promise<Opened> {
  const { name, stored } = source;
  if (stored === undefined) throw needsFile(name);
  if (Array.isArray(options.names))
    throw new RowcastError('bad_option', '--names: a Parquet file names its own columns', {
      location: { file: name },
      hint: 'Leave it out; --rename gives the columns of the output other names.',
    });
  const file = await openParquet(stored, name);
  const columns = neededColumns(file, options);
  checkGroups(file, columns, options);
  const dialect = dialectOf({ ...options, file: options.writes?.name });
  const bytes = Buffer.from(
    writeRow(
      columns.map(column => column.name),
      dialect,
    ),
  );
  const header = readHeader(bytes, true, { dialect, file: name, maxRecordBytes: Number.POSITIVE_INFINITY });
  if (header === undefined) throw new Error('the header was not read');
  stored.readAs(new ParquetText(file, columns, bytes), bytes.length);
  const isCopied = isCopy(options.writes);
  const written = isCopied ? { ...options, keep: 'none' as const, rename: {} } : options;
  const groups = isCopied ? { ends: file.groups.map(({ before, rows }) => before + rows) } : undefined;
  const layout = new ParquetLayout(header, outputColumns(header, written, name), { file, columns, groups });
  return { layout, rest: Buffer.alloc(0) };
}

/** Whether Parquet is written, to which the columns are copied. */
const isCopy = (writes: WrittenFile | undefined): boolean =>
  writes !== undefined && (writes.format ?? 'parquet') === 'parquet';

function needsFile(file: string): RowcastError {
  return new RowcastError('needs_file', 'a Parquet file is read from its end, so it cannot be a pipe', {
    location: { file },
    hint: 'Give the path or the URL of the file.',
  });
}

/**
 * The columns that are decoded: those that are written as text, and those that are to be scored. Others are left out if
 * nothing needs them.
 *
 * @throws RowcastError `unsupported_column`, `bad_parquet`
 */
function neededColumns(file: ParquetFile, options: ReadOptions & ColumnOptions): FileColumn[] {
  const { keep = 'all', writes, columns: scored } = options;
  const all = file.columns;
  const names = new Set<string>();
  for (const { name } of all) {
    if (names.has(name))
      throw new RowcastError('duplicate_columns', `the file has two columns "${sanitize(name)}"`, {
        location: { file: file.name },
        hint: 'Rename one.',
      });
    names.add(name);
  }
  const isWritten = (name: string): boolean =>
    writes !== undefined && !isCopy(writes) && (keep === 'all' || keep.includes(name));
  const isScored = (name: string): boolean => scored?.includes(name) === true;
  const needsAll = writes === undefined || scored === undefined;
  return all.filter(column => {
    const { name, type } = column;
    const isNeeded = isWritten(name) || isScored(name);
    if (type.is !== 'unsupported') return isNeeded || needsAll;
    if (isNeeded) throw unsupported(file.name, name, type.what, isScored(name));
    return false;
  });
}

const unsupported = (file: string, column: string, what: string, isScored: boolean): RowcastError =>
  new RowcastError('unsupported_column', `the column "${sanitize(column)}" cannot be read: it has ${what}`, {
    location: { file },
    hint: isScored
      ? 'Leave it out with --exclude-features, or convert it first.'
      : 'Name the columns to write with --keep, or write Parquet, to which columns are copied as they are.',
  });

/** @throws RowcastError `group_too_large` */
function checkGroups(
  { groups, name }: ParquetFile,
  columns: readonly FileColumn[],
  { maxGroupBytes = MAX_GROUP_BYTES }: ReadOptions,
): void {
  for (const [index, group] of groups.entries()) {
    const bytes = columns.reduce((sum, column) => sum + uncompressedBytes(group, column), 0);
    if (bytes <= maxGroupBytes) continue;
    throw new RowcastError(
      'group_too_large',
      `row group ${index + 1} has ${counted(group.rows)} rows, which take ${counted(bytes)} bytes uncompressed; the limit is ${counted(maxGroupBytes)}`,
      {
        location: { file: name },
        hint: 'Raise --max-group-bytes if there is memory for several times as much, or write the file with smaller groups.',
      },
    );
  }
}
