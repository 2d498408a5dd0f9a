import { RowcastError } from '../base/errors.ts';
import { textsOf } from '../formats/records/fields.ts';
import { isBlank } from '../formats/values/coerce.ts';
import { leakingColumns } from './findings/leaks.ts';
import { labelRows } from './rows/label-rows.ts';
import { learnColumns } from './rows/learn-columns.ts';
import { openRecords } from './rows/open-batches.ts';
import type { HistoryOptions } from './rows/read-history.ts';
import { labelsOf, predictedColumn, splitRows } from './rows/split-rows.ts';

/** Enough to notice a leak. */
const MAX_ROWS = 5_000;
/** Fewer rows are read of a file with many columns. */
const MAX_CELLS = 200_000;
const MIN_ROWS = 500;

/**
 * The columns that would get the warning `leak`, judged by the first rows alone.
 *
 * @returns none if these rows cannot be trained on, such as those of a single class
 */
export async function previewLeaks(options: HistoryOptions): Promise<string[]> {
  const { predict, seed } = options;
  try {
    const { header, column, rows } = await firstRows(options);
    const labelled = labelRows(
      rows.filter(row => !isBlank(row[column] ?? '')),
      column,
      options,
    );
    const { labels, classes } = labelsOf(labelled.labels, predict);
    const split = splitRows(labels, classes.length, seed);
    const learned = learnColumns(header, labelled.rows, labelled.rows, column, options);
    return leakingColumns(learned, { rows: labelled.rows, labels, classes: classes.length }, split);
  } catch (error) {
    if (error instanceof RowcastError) return []; // the training will tell
    throw error;
  }
}

async function firstRows(
  options: HistoryOptions,
): Promise<{ header: readonly string[]; column: number; rows: string[][] }> {
  const { layout, batches, close } = await openRecords(options.historyFile, {
    ...options,
    onLongField: () => {},
  });
  try {
    const { names } = layout;
    const most = Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.floor(MAX_CELLS / names.length)));
    const fieldsOf = layout.fieldReader();
    const rows: string[][] = [];
    for await (const batch of batches) {
      const fields = fieldsOf(batch);
      for (let row = 0; row < fields.rows && rows.length < most; row++) rows.push(textsOf(fields, row));
      if (rows.length === most) break;
    }
    return { header: names, column: predictedColumn(names, options.predict), rows };
  } finally {
    close();
  }
}
