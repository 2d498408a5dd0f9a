import type { Comparison } from '../comparison.ts';
import { cellComparison, textCell } from '../csv/csv-comparison.ts';
import { CsvLayout } from '../csv/csv-layout.ts';
import type { Header } from '../csv/header.ts';
import type { Layout, LayoutData } from '../format.ts';
import type { OutputColumns } from '../output-columns.ts';
import type { RowGroups } from '../records/row-groups.ts';
import type { FileColumn } from './footer/file-column.ts';
import type { ParquetFile } from './footer/parquet-file.ts';
import { doubleText } from './text/value-text.ts';

export interface ParquetLayoutOptions {
  readonly file: ParquetFile;
  /** The columns that are read. */
  readonly columns: readonly FileColumn[];
  /** Whether each row has a value, perhaps in a column that is not read. */
  readonly hasOthers: boolean;
  readonly groups: RowGroups | undefined;
  /** Texts that stood for a missing number when the file was made. */
  readonly nulls: ReadonlySet<string>;
}

/** A Parquet file, whose rows are read as those of a CSV. */
export class ParquetLayout extends CsvLayout {
  override readonly format = 'parquet';
  readonly rows: number;
  readonly file: ParquetFile;
  readonly #nulls: ReadonlySet<string>;

  constructor(
    header: Header,
    output: OutputColumns | undefined,
    { file, columns, hasOthers, groups, nulls }: ParquetLayoutOptions,
  ) {
    super(header, output, groups, columns.map(typeOf), undefined, hasOthers);
    this.file = file;
    this.#nulls = nulls;
    this.rows = file.rows;
  }

  override compareWith(output: Layout, file: string): Comparison {
    return { ...super.compareWith(output, file), preserves: 'values' };
  }

  protected override compareValues(
    header: Header,
    columns: OutputColumns | undefined,
    file: string,
  ): Comparison {
    const numbers = this.types?.map(type => type === 'float') ?? [];
    return valueComparison(header, columns, CsvLayout.headerOf(this), {
      numbers,
      nulls: this.#nulls,
      file,
    });
  }

  override get data(): LayoutData {
    return { ...super.data, format: 'csv' };
  }
}

/** The type of a column, as options and reports call it; undefined if all values are missing. */
export const typeOf = ({ type }: FileColumn): string | undefined => TYPES[type.is];

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

interface ComparedNumbers {
  readonly numbers: readonly boolean[];
  readonly nulls: ReadonlySet<string>;
  readonly file: string;
}

/**
 * Compares a CSV with the text of a Parquet file that was made of it.
 *
 * @param numbers whether a column of the output has numbers
 * @param nulls texts that stand for a missing number
 * @param file the name of the CSV, for messages
 */
const valueComparison = (
  header: Header,
  columns: OutputColumns | undefined,
  output: Header,
  { numbers, nulls, file }: ComparedNumbers,
): Comparison =>
  cellComparison(header, columns, output, {
    file,
    cellOf: (text, place) => (numbers[place] === true ? numberCell(text, nulls) : textCell(text)),
  });

function numberCell(text: string, nulls: ReadonlySet<string>): string {
  if (nulls.has(text)) return '';
  const number = Number(text);
  // A text that is not a number stands for a missing one, which has no text in the file.
  return text.trim() === '' || (Number.isNaN(number) && text !== 'NaN') ? '' : doubleText(number);
}
