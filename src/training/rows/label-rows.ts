import type { Header } from '../../formats/csv/header.ts';
import { readTable } from '../../formats/csv/read-table.ts';
import { countTexts } from '../../formats/values/date-order.ts';
import { binLabels } from './bin-labels.ts';
import { cleanLabels, refuseAmounts } from './labels.ts';

/** Labelled rows, and the class of each. */
export interface LabelledTable {
  rows: string[][];
  labels: string[];
  /** The order of the classes, if it is not that of their names. */
  order?: readonly string[] | undefined;
  notes: string[];
}

/** Determines each row's class; with `bins`, rows whose label is not a number are left out. */
export function labelRows(
  sampled: string[][],
  column: number,
  { predict, bins }: { predict: string; bins?: number | undefined },
): LabelledTable {
  const texts = countTexts(sampled.map(row => row[column] ?? ''));
  if (bins === undefined) {
    refuseAmounts(texts, predict);
    const { names, notes } = cleanLabels(texts, predict);
    return { rows: sampled, labels: sampled.map(row => names.get(row[column] ?? '') ?? ''), notes };
  }
  const { nameOf, order, notes } = binLabels(texts, bins, predict);
  const named = sampled.flatMap(row => {
    const label = nameOf(row[column] ?? '');
    return label === undefined ? [] : [{ row, label }];
  });
  return { rows: named.map(({ row }) => row), labels: named.map(({ label }) => label), order, notes };
}

/** Records parsed at once: a copy of all of them would take as much memory as the file. */
const CHUNK_RECORDS = 5000;

/** The fields of records in Latin-1 strings (one byte per character). */
export function rowsOf(
  { bytes, dialect: { delimiter, quote = 'none' } }: Header,
  records: readonly string[],
  maxRecordBytes: number,
): string[][] {
  const rows: string[][] = [];
  for (let from = 0; from < records.length; from += CHUNK_RECORDS) {
    const chunk = Buffer.from(records.slice(from, from + CHUNK_RECORDS).join(''), 'latin1');
    const table = Buffer.concat([bytes, chunk]);
    for (const row of readTable(table, { file: 'sample', delimiter, quote, maxRecordBytes }).rows)
      rows.push(row);
  }
  return rows;
}
