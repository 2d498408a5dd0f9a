import type { Layout } from '../../formats/format.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
import type { BatchScorer, Scored } from '../../scoring/scorer.ts';

/** What a few requests have shown. */
export interface Sample {
  requests: number;
  rows: number;
  /** Milliseconds of the fastest and slowest request; null without any. */
  latency: { min: number; max: number } | null;
  /** Rows per second, one request at a time. */
  rowsPerSecond: number;
  /** The probabilities of the first row, by class; null if it has none. */
  firstRow: Record<string, number> | null;
}

export interface SampleOptions {
  stop: AbortSignal;
  /** What a scorer that merges appends to each record: the probabilities of these classes. */
  classes: readonly string[];
  layout: Pick<Layout, 'textsOf'>;
}

/**
 * Scores batches one after the other, without retries.
 *
 * @returns null without batches
 * @throws CallError
 */
export async function sampleRequests(
  scorer: BatchScorer,
  batches: readonly Batch[],
  { stop, ...output }: SampleOptions,
): Promise<Sample | null> {
  const times: number[] = [];
  let rows = 0;
  let firstRow: Sample['firstRow'] = null;
  for (const batch of batches) {
    const [part] = scorer.parts(batch);
    if (part === undefined) continue;
    const begun = performance.now();
    const outcome = await scorer.tryPart({ batch: part, predictionType: undefined }, stop);
    times.push(performance.now() - begun);
    scorer.release(part);
    if ('failure' in outcome) throw CallError.from(outcome.failure);
    rows += countRows(part);
    firstRow ??= firstRowOf(outcome, output);
  }
  if (times.length === 0) return null;
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1000;
  return {
    requests: times.length,
    rows,
    latency: { min: Math.min(...times), max: Math.max(...times) },
    rowsPerSecond: rows / seconds,
    firstRow,
  };
}

function firstRowOf(
  { predictions, merged }: Scored,
  { classes: appended, layout }: Pick<SampleOptions, 'classes' | 'layout'>,
): Sample['firstRow'] {
  const { classes = appended, probabilities = [] } =
    predictions.kind === 'distribution' && merged === undefined ? predictions : {};
  const record =
    merged === undefined
      ? [...probabilities.slice(0, classes.length)]
      : layout.textsOf(merged.bytes).find(({ length }) => length >= classes.length);
  if (record === undefined || classes.length === 0 || record.length < classes.length) return null;
  const last = record.slice(-classes.length).map(Number);
  return Object.fromEntries(classes.map((name, index) => [name, last[index] ?? Number.NaN]));
}
