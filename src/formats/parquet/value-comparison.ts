import type { Comparison } from '../comparison.ts';
import { cellComparison, textCell } from '../csv/cell-comparison.ts';
import type { Header } from '../csv/header.ts';
import type { OutputColumns } from '../output-columns.ts';
import { doubleText } from './text/value-text.ts';

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
export const valueComparison = (
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
