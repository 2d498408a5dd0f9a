import { RowcastError } from '../../base/errors.ts';
import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { StoredBytes } from '../../base/text-of-file.ts';
import { headerOf } from '../csv/csv-comparison.ts';
import type { InputSection, Opened } from '../format.ts';
import { readLineLayout } from '../jsonl/jsonl-layout.ts';
import { type ColumnOptions, outputColumns, type WrittenFile } from '../output-columns.ts';
import { type ReadOptions, refuseCsvOptions } from '../read-options.ts';
import type { ByteSource } from '../records/byte-source.ts';
import type { InputRange } from '../records/position.ts';
import type { RowGroup } from './footer/chunk-table.ts';
import { type FileColumn, outermostName } from './footer/file-column.ts';
import {
  openParquet,
  type ParquetFile,
  rangesOf,
  uncompressedBytes,
  valuesInRows,
} from './footer/parquet-file.ts';
import { isSinglePrecision, parquetLayout, typeOf } from './parquet-layout.ts';
import { ParquetText, type ParquetTextData } from './text/parquet-text.ts';

const MAX_GROUP_BYTES = 512 << 20;
/** The offset of a value in its page. */
const OFFSET_BYTES = 4;

/**
 * Reads the footer of a file, and makes its source one of the text of the columns that are needed.
 *
 * @throws RowcastError `needs_file`, `bad_parquet`, `unsupported_column`, `group_too_large`, `missing_columns`,
 *   `too_many_columns`
 */
export async function readParquetLayout(
  source: ByteSource,
  options: ReadOptions & ColumnOptions,
): Promise<Opened> {
  const { name, stored } = source;
  if (stored === undefined) throw needsFile(name);
  // Where nothing is written, these may be the options of another file, but for names.
  const { names, writes, maxRecordBytes } = options;
  refuseCsvOptions(writes === undefined ? { names, maxRecordBytes } : options, 'Parquet', name);
  const whole = await openParquet(stored, name, options);
  const sections = (): readonly InputSection[] => sectionsOf(whole);
  const { range } = options;
  const file = range === undefined ? whole : { ...whole, groups: groupsIn(whole.groups, range) };
  const { columns, hasOthers } = readColumns(whole, options);
  checkGroups(file, columns, options);
  if (options.writes?.format === 'jsonl')
    return { ...(await readLines(source, stored, { file, columns, hasOthers }, options)), sections };
  const { maxColumns } = options;
  const header = headerOf(
    columns.map(column => column.name),
    { file: name, maxColumns },
  );
  const { bytes } = header;
  const start = range?.start.offset || bytes.length;
  stored.readAs(new ParquetText(file, columns, 'csv', bytes, start), start);
  const isCopied = isCopy(options.writes);
  const written = isCopied ? ofCopy(options, file) : options;
  const groups = isCopied ? { ends: file.groups.map(({ before, rows }) => before + rows) } : undefined;
  const layout = parquetLayout(
    { header, columns: outputColumns(header, readable(written, file), name), groups, hasOthers },
    { file, columns, nulls: new Set(options.nulls) },
  );
  return { layout, rest: Buffer.alloc(0), sections };
}

/** Where columns are copied, only the appended ones are written as text, and renamed there. */
function ofCopy(options: ReadOptions & ColumnOptions, { columns }: ParquetFile): typeof options {
  const { keep = 'all', rename = {} } = options;
  const copied = new Set(keep === 'all' ? columns.map(({ name }) => name) : keep === 'none' ? [] : keep);
  const others = Object.entries(rename).filter(([from]) => !copied.has(from));
  return { ...options, keep: 'none', rename: Object.fromEntries(others), outputHeader: false };
}

/** If nothing is written, a copy is compared: of its structs the members, and nothing of columns that have no text. */
function readable(options: ColumnOptions, { values }: ParquetFile): ColumnOptions {
  const { keep, rename = {}, writes } = options;
  if (writes !== undefined) return options;
  const members = new Map<string, string[]>();
  for (const column of values) {
    const own = members.get(outermostName(column)) ?? [];
    if (column.type.is !== 'unsupported') own.push(column.name);
    members.set(outermostName(column), own);
  }
  const compared = (name: string): readonly string[] => members.get(name) ?? [name];
  const names = Object.entries(rename).flatMap(([from, to]) =>
    compared(from).map(name => [name, to + name.slice(from.length)]),
  );
  return {
    ...options,
    keep: Array.isArray(keep) ? keep.flatMap(compared) : keep,
    rename: Object.fromEntries(names),
  };
}

/** The text that a layout has made of a file, in another thread. @param data of that text */
export const textOfParquet = async (stored: StoredBytes, file: string, data: unknown): Promise<ParquetText> =>
  // `ParquetText` makes it.
  ParquetText.of(await openParquet(stored, file), data as ParquetTextData);

/**
 * JSON lines are made of the rows, so what is written has their types. What is sent of them is the same as of the text
 * that other outputs are made of.
 */
async function readLines(
  { name, contentName }: ByteSource,
  stored: StoredBytes,
  { file, columns, hasOthers }: { file: ParquetFile; columns: readonly FileColumn[]; hasOthers: boolean },
  options: ReadOptions & ColumnOptions,
): Promise<Opened> {
  const start = options.range?.start.offset ?? 0;
  const before = Buffer.from(start === 0 ? '' : '\n');
  const chunks = stored.readAs(new ParquetText(file, columns, 'jsonl', before, start), start);
  const source = { name, contentName, isLive: false, chunks, checkUnchanged: async () => {} };
  const names = columns.map(column => column.name);
  const typed = { types: columns.map(typeOf), hasOthers };
  const opened = await readLineLayout(source, { ...options, columns: names }, typed);
  return { ...opened, layout: { ...opened.layout, singles: columns.map(isSinglePrecision) } };
}

/** Whether Parquet is written, to which the columns are copied. */
const isCopy = (writes: WrittenFile | undefined): boolean =>
  writes !== undefined && (writes.format ?? 'parquet') === 'parquet';

function needsFile(file: string): RowcastError {
  return new RowcastError(
    'needs_file',
    'a Parquet file is read from its end, so it can be neither a pipe nor an upload',
    {
      location: { file },
      hint: 'Score the file itself, with its path or URL as the input.',
    },
  );
}

/**
 * The columns that are decoded: those that are needed, or all if there may be rows without a value in any, which others
 * then decide.
 *
 * @param file all of it, even if only some groups are read: their outputs are put together
 */
function readColumns(
  file: ParquetFile,
  options: ReadOptions & ColumnOptions,
): { columns: FileColumn[]; hasOthers: boolean } {
  const columns = neededColumns(file, options);
  const { length } = file.values;
  if (columns.length === length) return { columns, hasOthers: length === 1 };
  const values = valuesInRows(file);
  if (values === 'some') return { columns, hasOthers: true };
  return {
    columns: values === 'unknown' ? columns : neededColumns(file, { ...options, columns: undefined }),
    hasOthers: false,
  };
}

/**
 * The columns that are needed: those that are written as text, and those that are to be scored. Others are left out if
 * nothing needs them.
 *
 * @throws RowcastError `unsupported_column`, `duplicate_columns`
 */
function neededColumns(file: ParquetFile, options: ReadOptions & ColumnOptions): FileColumn[] {
  const { keep = 'all', writes, columns: scored } = options;
  const isWritten = (name: string): boolean =>
    writes !== undefined && !isCopy(writes) && (keep === 'all' || keep.includes(name));
  const isScored = (name: string): boolean => scored?.includes(name) === true;
  const needsAll = writes === undefined || scored === undefined;
  checkStructs(file, options);
  const all = file.values;
  const [first] = all;
  if (first?.type.is === 'unsupported' && all.every(({ type }) => type.is === 'unsupported') && needsAll)
    throw new RowcastError(
      'unsupported_column',
      `none of the columns can be read: "${sanitize(first.name)}" has ${first.type.what}`,
      { location: { file: file.name }, hint: 'Write their members to columns of their own first.' },
    );
  const names = new Set<string>();
  for (const { name } of file.columns) {
    if (names.has(name)) throw twoColumns(name, file.name);
    names.add(name);
  }
  return all.filter(column => {
    const { name, type, struct } = column;
    const isNeeded = isWritten(name) || isScored(name);
    if (type.is === 'unsupported') {
      if (isNeeded) throw unsupported(file.name, name, type.what, isScored(name));
      return false;
    }
    if (!isNeeded && !needsAll) return false;
    if (struct === undefined) return true;
    const isTwice = names.has(name);
    if (isTwice && isNeeded) throw twoColumns(name, file.name);
    names.add(name);
    return !isTwice;
  });
}

const twoColumns = (name: string, file: string): RowcastError =>
  new RowcastError('duplicate_columns', `the file has two columns "${sanitize(name)}"`, {
    location: { file },
    hint: 'Rename one.',
  });

/**
 * Refuses names of structs where those of their members are wanted, and names of members where only whole columns are
 * copied.
 *
 * @throws RowcastError `unsupported_column`
 */
function checkStructs(
  file: ParquetFile,
  { keep, writes, columns: scored }: ColumnOptions & Pick<ReadOptions, 'columns'>,
): void {
  const isText = writes !== undefined && !isCopy(writes);
  const kept = new Set(Array.isArray(keep) ? keep : []);
  const wanted = new Set([...(isText ? kept : []), ...(scored ?? [])]);
  const own = new Set(file.columns.map(({ name }) => name));
  for (const column of file.values) {
    const isCopied = !isText && kept.has(column.name) && !own.has(column.name);
    if (column.struct === undefined || !(isCopied || wanted.has(outermostName(column)))) continue;
    const [name, outer] = [sanitize(column.name), sanitize(outermostName(column))];
    const what = isCopied
      ? `--keep: "${name}" is a member of "${outer}", which is copied whole`
      : `the column "${outer}" cannot be read: it is a struct`;
    throw new RowcastError('unsupported_column', what, {
      location: { file: file.name },
      hint: isCopied ? `Keep "${outer}".` : `Name its members, such as "${name}".`,
    });
  }
}

const unsupported = (file: string, column: string, what: string, isScored: boolean): RowcastError =>
  new RowcastError('unsupported_column', `the column "${sanitize(column)}" cannot be read: it has ${what}`, {
    location: { file },
    hint: isScored
      ? 'Leave it out with --exclude-features, or convert it first.'
      : 'Name the columns to write with --keep, or write Parquet, to which columns are copied as they are.',
  });

/** The command that prints a file as CSV. In a name, DuckDB takes `*`, `?` and `[` for those of a pattern. */
function duckdbCsv(name: string): string {
  const pattern = name.replaceAll(/[*?[]/g, '[$&]').replaceAll("'", "''");
  return `duckdb -c ${shellWord(`COPY (FROM read_parquet('${pattern}')) TO '/dev/stdout' (FORMAT csv)`)}`;
}

/** @throws RowcastError `group_too_large` */
function checkGroups(
  { groups, name }: ParquetFile,
  columns: readonly FileColumn[],
  { maxGroupBytes = MAX_GROUP_BYTES }: ReadOptions,
): void {
  for (const [index, group] of groups.entries()) {
    // A page of missing values takes a few bytes, but each row an offset in memory.
    const bytes = columns.reduce(
      (sum, column) => sum + uncompressedBytes(group, column) + OFFSET_BYTES * group.rows,
      0,
    );
    if (bytes <= maxGroupBytes) continue;
    throw new RowcastError(
      'group_too_large',
      `row group ${index + 1} has ${counted(group.rows)} rows, which take ${counted(bytes)} bytes of memory; the limit is ${counted(maxGroupBytes)}`,
      {
        location: { file: name },
        hint: `Raise --max-group-bytes if there is memory for several times as much, or pipe the rows as text, with - as the input: ${duckdbCsv(name)} | rowcast …`,
      },
    );
  }
}

/**
 * More bytes than the text of a group has. A shard does not know how much text the groups before its own make, so the
 * text of each group that a shard begins with is taken to begin at a multiple of this.
 */
const TEXT_BYTES = 2 ** 36;

/** The groups of a file as sections of an input, and the end of the last one. No page is read. */
export function sectionsOf({
  columns,
  groups,
  rows,
}: Pick<ParquetFile, 'columns' | 'groups' | 'rows'>): readonly InputSection[] {
  const at = (group: number, before: number) => ({
    offset: group * TEXT_BYTES,
    row: before + 1,
    line: before + 1,
  });
  return [
    ...groups.map((group, index) => ({ start: at(index, group.before), bytes: storedBytes(group, columns) })),
    { start: at(groups.length, rows), bytes: 0 },
  ];
}

/** The groups of a range. */
export const groupsIn = <T>(groups: readonly T[], { start, end }: InputRange): readonly T[] =>
  groups.slice(start.offset / TEXT_BYTES, end === undefined ? undefined : end / TEXT_BYTES);

const storedBytes = (group: RowGroup, columns: readonly FileColumn[]): number =>
  columns.flatMap(column => rangesOf(group, column)).reduce((bytes, { from, to }) => bytes + to - from, 0);
