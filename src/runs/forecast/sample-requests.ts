import type { Predicted } from '../../base/contract/prediction.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
import { predictionOf } from '../../scoring/prediction-of.ts';
import { predictionTypeOf } from '../../scoring/predictions.ts';
import type { BatchScorer, Scored } from '../../scoring/scorer.ts';

/** What a few requests have shown. */
export interface Sample {
  requests: number;
  rows: number;
  /** Milliseconds of the fastest and slowest request; null without any. */
  latency: { min: number; max: number } | null;
  /** Rows per second, one request at a time. */
  rowsPerSecond: number;
  /** What is predicted for the first row; null if nothing is. */
  firstRow: Predicted | null;
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
  { classes, layout }: Pick<SampleOptions, 'classes' | 'layout'>,
): Sample['firstRow'] {
  if (merged === undefined) {
    const first = predictionTypeOf(predictions) && predictionOf(predictions, 0);
    return first === undefined || 'error' in first ? null : first;
  }
  const record = layout.textsOf(merged.bytes).find(({ length }) => length >= classes.length);
  if (record === undefined || classes.length === 0) return null;
  const last = record.slice(-classes.length).map(Number);
  return {
    probabilities: Object.fromEntries(classes.map((name, index) => [name, last[index] ?? Number.NaN])),
  };
}
