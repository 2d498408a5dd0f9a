import {
  classesOf,
  type Labels,
  type Numbers,
  numbersPerRow,
  type PredictionType,
} from '../../base/contract/predictions.ts';
import type { Layout } from '../../formats/format.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import { checkSameType } from '../../scoring/batch/check-same-type.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
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
  /** What is predicted for the first row, by class or name; a label or a single number as `prediction`. Null if nothing is. */
  firstRow: Record<string, number | string> | null;
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
  { classes: appended, layout }: { classes: readonly string[]; layout: SampleOptions['layout'] },
): Sample['firstRow'] {
  if (predictions.kind !== 'distribution') return firstValuesOf(predictions);
  const { classes = appended, probabilities = [] } = merged === undefined ? predictions : {};
  const record =
    merged === undefined
      ? [...probabilities.slice(0, classes.length)]
      : layout.textsOf(merged.bytes).find(({ length }) => length >= classes.length);
  if (record === undefined || classes.length === 0 || record.length < classes.length) return null;
  const last = record.slice(-classes.length).map(Number);
  return Object.fromEntries(classes.map((name, index) => [name, last[index] ?? Number.NaN]));
}

function firstValuesOf(predictions: Labels | Numbers): Sample['firstRow'] {
  if (predictions.errors.has(0)) return null;
  if (predictions.kind === 'label') {
    const label = predictions.labels[predictions.indices[0] ?? -1];
    return label === undefined ? null : { prediction: label };
  }
  const { names, values } = predictions;
  const own = [...values.slice(0, numbersPerRow(names))];
  return Object.fromEntries(own.map((value, index) => [names[index] ?? 'prediction', value]));
}
