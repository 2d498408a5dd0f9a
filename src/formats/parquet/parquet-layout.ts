import { textCell } from '../csv/csv-comparison.ts';
import { type CsvLayout, type CsvParts, csvLayout } from '../csv/csv-layout.ts';
import type { Layout } from '../format.ts';
import type { FileColumn } from './footer/file-column.ts';
import type { ParquetFile } from './footer/parquet-file.ts';
import { doubleText } from './text/value-text.ts';

/** A Parquet file, whose rows are read as those of a CSV. */
interface ParquetLayout extends CsvLayout {
  readonly file: ParquetFile;
}

/**
 * The layout of a file.
 *
 * @param columns that are read
 * @param nulls texts that stood for a missing number when the file was made
 */
export function parquetLayout(
  parts: CsvParts,
  { file, columns, nulls }: { file: ParquetFile; columns: readonly FileColumn[]; nulls: ReadonlySet<string> },
): ParquetLayout {
  const types = columns.map(typeOf);
  return {
    ...csvLayout({ ...parts, types }, undefined, 'parquet'),
    singles: columns.map(isSinglePrecision),
    rows: file.rows,
    file,
    cellOf: (text, place) => (types[place] === 'float' ? numberCell(text, nulls) : textCell(text)),
  };
}

/** The file that a layout is of; undefined if it has another format. */
export const parquetFileOf = (layout: Layout): ParquetFile | undefined =>
  'file' in layout ? (layout as ParquetLayout).file : undefined;

/** The type of a column, as options and reports call it; undefined if all values are missing. */
export const typeOf = ({ type }: FileColumn): string | undefined => TYPES[type.is];

export const isSinglePrecision = ({ type }: FileColumn): boolean => type.is === 'float' || type.is === 'half';

const TYPES: Readonly<Record<Exclude<FileColumn['type']['is'], NoText>, string>> &
  Readonly<Partial<Record<NoText, string>>> = {
  boolean: 'boolean',
  signed: 'integer',
  unsigned: 'UINT64',
  float: 'float',
  double: 'float',
  half: 'float',
  decimal: 'float',
  text: 'text',
  bytes: 'text',
  uuid: 'text',
  date: 'text',
  time: 'text',
  timestamp: 'text',
  int96: 'text',
};

type NoText = 'unknown' | 'unsupported' | 'struct';

function numberCell(text: string, nulls: ReadonlySet<string>): string {
  if (nulls.has(text)) return '';
  const number = Number(text);
  // A text that is not a number stands for a missing one, which has no text in the file.
  return text.trim() === '' || (Number.isNaN(number) && text !== 'NaN') ? '' : doubleText(number);
}
