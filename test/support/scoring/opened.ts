import { type CsvLayout, csvLayout } from '../../../src/formats/csv/csv-layout.ts';
import type { Batch } from '../../../src/formats/records/batch.ts';
import { chooseFeatures } from '../../../src/scoring/feature-columns.ts';
import type { BatchScorer, Scorer } from '../../../src/scoring/scorer.ts';
import { type ReadOptions, read } from '../csv/read.ts';

export interface OpenedInput {
  layout: CsvLayout;
  opened: BatchScorer;
  /** The scorer's parts of all batches, in order. */
  parts: Batch[];
}

/** Opens a scorer for a CSV with all columns sent; `options` say how it is cut into batches. */
export function openText(
  scorer: Scorer,
  text: string,
  { types, ...options }: ReadOptions & { types?: Readonly<Record<string, string>> } = {},
): OpenedInput {
  const { head, batches } = read(text, { batchRows: 100, ...options });
  const layout = csvLayout({ header: head });
  const features = chooseFeatures(layout, {}, { types }, 'test.csv');
  const opened = scorer.open({
    report: 'r',
    features,
    layout,
    nulls: [],
    appended: undefined,
    batchBytes: 1 << 20,
  });
  return { layout, opened, parts: batches.flatMap(batch => [...opened.parts(batch)]) };
}
