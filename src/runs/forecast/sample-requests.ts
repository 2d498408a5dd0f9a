import { classesOf, type PredictionType } from '../../base/contract/predictions.ts';
import type { Predicted } from '../../base/contract/schemas.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import { checkSameType } from '../../scoring/batch/join-predictions.ts';
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
  /** What the predictions of all responses consist of; null if no row was scored. */
  predictionType: PredictionType | null;
  /** What is predicted for the first row; null if nothing is. */
  firstRow: Predicted | null;
}

export interface SampleOptions {
  stop: AbortSignal;
  /** What is known of the predictions; a scorer that merges appends all of their probabilities to each record. */
  known: PredictionType | undefined;
  layout: Pick<Layout, 'textsOf'>;
}

/**
 * Scores batches one after the other, without retries.
 *
 * @returns null without batches
 * @throws CallError; RowcastError `wrong_answer` if responses have predictions of different kinds
 */
export async function sampleRequests(
  scorer: BatchScorer,
  batches: readonly Batch[],
  { stop, known, layout }: SampleOptions,
): Promise<Sample | null> {
  const times: number[] = [];
  let rows = 0;
  let firstRow: Sample['firstRow'] = null;
  let predictionType = known;
  for (const batch of batches) {
    const [part] = scorer.parts(batch);
    if (part === undefined) continue;
    const begun = performance.now();
    const outcome = await scorer.tryPart({ batch: part, predictionType }, stop);
    times.push(performance.now() - begun);
    scorer.release(part);
    if ('failure' in outcome) throw CallError.from(outcome.failure);
    rows += countRows(part);
    const received = predictionTypeOf(outcome.predictions);
    if (received !== undefined) checkSameType(received, predictionType);
    predictionType ??= received;
    firstRow ??= firstRowOf(outcome, { classes: classesOf(known), layout });
  }
  if (times.length === 0) return null;
  const seconds = times.reduce((sum, time) => sum + time, 0) / 1000;
  return {
    requests: times.length,
    rows,
    latency: { min: Math.min(...times), max: Math.max(...times) },
    rowsPerSecond: rows / seconds,
    predictionType: predictionType ?? null,
    firstRow,
  };
}

function firstRowOf(
  { predictions, merged }: Scored,
  { classes, layout }: { classes: readonly string[]; layout: SampleOptions['layout'] },
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
