import type { TextCounts } from '../../formats/values/column-type.ts';
import { type BinnedLabels, binLabels } from './bin-labels.ts';
import { cleanLabels, refuseAmounts } from './labels.ts';
import { checkLabels, splitRows } from './split-rows.ts';

/** The classes that training would make of a column. */
export interface PreviewedTarget {
  /** The most frequent first. */
  classes: { name: string; rows: number }[];
  notes: string[];
}

/** With more rows, no number of classes leaves too few for testing. */
const FEW_ROWS = 1_000;

/**
 * Finds out from the values of a column whether it can be predicted, by the rules of training and without the rows.
 *
 * @param texts all labels as written, none of them blank
 * @param bins the number of ranges to divide numbers into
 * @throws RowcastError as training would: `numeric_target`, `not_numbers`, `too_few_rows`, `one_class`, `too_many_classes`
 */
export function previewTarget(texts: TextCounts, predict: string, bins?: number): PreviewedTarget {
  const { nameOf, notes } = bins === undefined ? named(texts, predict) : binLabels(texts, bins, predict);
  const rowsOf = new Map<string, number>();
  for (const [text, count] of texts) {
    const name = nameOf(text);
    if (name !== undefined) rowsOf.set(name, (rowsOf.get(name) ?? 0) + count);
  }
  const counts = [...rowsOf.values()];
  const rows = counts.reduce((sum, count) => sum + count, 0);
  checkLabels({ rows, classes: rowsOf.size }, predict);
  if (rows < FEW_ROWS)
    splitRows(
      counts.flatMap((count, label) => new Array<number>(count).fill(label)),
      counts.length,
      1,
    );
  const classes = [...rowsOf].map(([name, count]) => ({ name, rows: count }));
  return { classes: classes.sort((a, b) => b.rows - a.rows), notes };
}

function named(texts: TextCounts, predict: string): BinnedLabels {
  refuseAmounts(texts, predict);
  const { names, notes } = cleanLabels(texts, predict);
  return { nameOf: text => names.get(text), notes };
}
