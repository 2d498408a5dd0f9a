import type { Layout } from '../../formats/format.ts';
import { textsOf } from '../../formats/records/fields.ts';
import { countTexts } from '../../formats/values/column-type.ts';
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
export function rowsOf(layout: Layout, records: readonly string[], maxRecordBytes: number): string[][] {
  const rows: string[][] = [];
  const fieldsOf = layout.fieldReader();
  for (let from = 0; from < records.length; from += CHUNK_RECORDS) {
    const chunk = Buffer.from(records.slice(from, from + CHUNK_RECORDS).join(''), 'latin1');
    const reader = layout.records({
      file: 'sample',
      batchRows: CHUNK_RECORDS,
      batchBytes: () => Number.POSITIVE_INFINITY,
      rowOverhead: 0,
      maxRecordBytes,
      start: layout.start,
    });
    for (const batches of [reader.push(chunk), reader.end()])
      for (const batch of batches) {
        const fields = fieldsOf(batch);
        for (let row = 0; row < fields.rows; row++) rows.push(textsOf(fields, row));
      }
  }
  return rows;
}
