import {
  classesOf,
  numbersPerRow,
  type Predictions,
  type PredictionType,
} from '../../base/contract/predictions.ts';
import type { Predicted } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import type { RunValues } from '../../base/options/values/run-values.ts';
import type { Layout } from '../../formats/format.ts';
import { readLayout } from '../../formats/formats.ts';
import type { ReadAs } from '../../formats/read-options.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import { checkSameType } from '../../scoring/batch/join-predictions.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
import { chooseFeatures, type FeatureColumn } from '../../scoring/feature-columns.ts';
import { appendedFor, appendedOptionsFor, appendedOptionsOf } from '../../scoring/merge/appended-for.ts';
import { type NearMiss, nearMissesOf } from '../../scoring/missing-hint.ts';
import { predictionOf, predictionTypeOf } from '../../scoring/predictions.ts';
import { knownOf, nullsOf, withPredicted } from '../../scoring/prepare.ts';
import type { UnsentRows } from '../../scoring/reuse/known-rows.ts';
import { type BatchScorer, LOCAL, type Scored, type Scorer } from '../../scoring/scorer.ts';
import { type Backends, openSource } from '../../storage/backends.ts';
import type { Source } from '../../storage/source.ts';
import { writtenFile } from '../output/written-file.ts';
import type { UnsentSample } from '../reuse/sample-unsent.ts';
import type { RunNote } from '../summary/summary.ts';
import { countRecords } from './count-records.ts';

/** What scoring an input would do. */
export interface InputPlan {
  input: string;
  /** Columns that are sent, with their types if they are known. */
  matched: { name: string; type: string | null }[];
  /** Columns of the report that the input lacks, and those of the input that are not sent. */
  missing: string[];
  unused: string[];
  near: NearMiss[];
  /** How the input is read. */
  readAs: ReadAs;
  rows: number;
  /** Whether the rows were counted to the end; otherwise their number is an estimate. */
  isExact: boolean;
  /** Whether there may be many more: a large compressed input is not read to its end, and its size is not known. */
  isLowerBound: boolean;
  batches: number;
  /** Zero with a local report. */
  requests: number;
  /** What --reuse or --dedupe does not send of the first rows; null without these. */
  unsent: UnsentRows | null;
  /** The rows that are sent, estimated by these. */
  sent: number;
  /** Uncompressed bytes of the output: an upper bound, but without the predictions if the classes are unknown. */
  outputBytes: number;
  probe: Sample | null;
  /** The names of the columns that are appended; null if it is not known what is predicted. */
  appends: string[] | null;
  /** The body of the first request; null if it was not asked for, or with a local report. */
  firstRequest: string | null;
  /** Why the input cannot be scored. */
  problem: RowcastError | undefined;
}

interface ForecastOptions {
  /** Maximum number of requests to make. */
  probes: number;
  showRequest: boolean;
  stop: AbortSignal;
  /** Backends of the name of the input, if not the default ones. */
  backends?: Backends | undefined;
  note?: (warning: RunNote) => void;
}

/** Plans one input. Nothing is written, and without probes only the report is asked for. */
export async function planInput(
  options: RunValues,
  scorer: Scorer,
  plan: ForecastOptions,
): Promise<InputPlan> {
  const { stop } = plan;
  const source = await openSource(options.input, false, options.encoding, plan.backends, stop);
  try {
    return await unlessStopped(planSource(source, options, scorer, plan), stop);
  } finally {
    source.close();
  }
}

async function planSource(
  source: Source,
  options: RunValues,
  scorer: Scorer,
  { probes, showRequest, ...search }: ForecastOptions,
): Promise<InputPlan> {
  const report = withPredicted(await scorer.describe(options.report), options);
  const writes = writtenFile(options);
  const isText = writes.format === 'csv' || writes.format === 'jsonl';
  const read = { ...options, ...knownOf(options, report) };
  const opened = await readLayout(source, isText ? { ...read, writes } : read);
  const { layout } = opened;
  const absent = new Set(layout.absent);
  const names = layout.names.filter(name => !absent.has(name));
  const nulls = nullsOf(options, report);
  let features: FeatureColumn[] = [];
  let problem: RowcastError | undefined;
  let sample: UnsentSample | undefined;
  try {
    features = chooseFeatures(layout, report, options, source.name);
    layout.refuseUnits?.(nulls, source);
    scorer.check?.({ ...options, features, nulls });
    const planned = { ...opened, source, scorer, values: { ...options, nulls }, report, features };
    if (options.reuse !== undefined || options.dedupe)
      sample = await (await import('../reuse/sample-unsent.ts')).sampleUnsent(options, planned, search);
  } catch (error) {
    if (!(error instanceof RowcastError)) throw error;
    problem = error;
  }
  const asked = options.features ?? report.columns?.map(({ name }) => name) ?? [];
  const missing = asked.filter(name => !names.includes(name) && !options.excludeFeatures?.includes(name));
  const sent = new Set(features.length > 0 ? features.map(({ name }) => name) : asked);
  const unused = names.filter(name => !sent.has(name));
  const merging = { ...options, layout, report };
  // For probes: all probabilities, unrounded.
  const appended = appendedOptionsFor({
    layout,
    report,
    classes: options.classes,
    prediction: false,
  });
  const batchScorer =
    problem === undefined
      ? scorer.open({
          ...options,
          classes: options.classes ?? report.classes,
          layout,
          features,
          nulls,
          appended,
        })
      : undefined;
  try {
    const { contentSize } = await source.identify();
    const { rows, batches, bytes, isExact, isLowerBound, first } = await countRecords({
      source,
      opened,
      options,
      contentSize,
      scorer: batchScorer,
      keep: Math.max(probes, showRequest ? 1 : 0, sample?.batches(batchScorer) ?? 0),
    }).catch(error => {
      // A run looks at the columns first.
      throw problem ?? error;
    });
    const probe =
      batchScorer === undefined
        ? null
        : await sampleRequests(batchScorer, first.slice(0, probes), {
            stop: search.stop,
            layout,
            known: appended?.predictionType,
          });
    const predictionType = probe?.predictionType ?? appended?.predictionType;
    const { unsent, share } = (await sample?.count(first)) ?? { unsent: null, share: 1 };
    return {
      input: source.name,
      matched:
        features.length > 0
          ? typed(features)
          : (report.columns ?? [])
              .filter(({ name }) => names.includes(name))
              .map(({ name, type = null }) => ({ name, type })),
      missing,
      unused,
      near: nearMissesOf(missing, unused),
      readAs: layout.readAs,
      rows,
      isExact,
      isLowerBound,
      batches,
      requests: scorer.name === LOCAL ? 0 : Math.ceil(batches * share),
      unsent,
      sent: Math.round(rows * share),
      outputBytes: bytes + rows * (appendedFor(merging, predictionType)?.maxBytes ?? 0),
      probe,
      appends:
        predictionType === undefined
          ? null
          : layout.appendedNames(appendedOptionsOf(merging, predictionType)),
      firstRequest:
        showRequest && batchScorer !== undefined && first[0] !== undefined
          ? firstRequest(batchScorer, first[0])
          : null,
      problem,
    };
  } finally {
    batchScorer?.close?.();
    await sample?.close();
  }
}

function firstRequest(scorer: BatchScorer, batch: Batch): string | null {
  const [part] = scorer.parts(batch);
  return part === undefined ? null : (scorer.requestOf?.(part) ?? null);
}

const typed = (features: readonly FeatureColumn[]): InputPlan['matched'] =>
  features.map(({ name, type = null }) => ({ name, type }));

/** What a few requests have shown. */
interface Sample {
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

interface SampleOptions {
  stop: AbortSignal;
  /** What is known of the predictions; a scorer that merges appends all of their probabilities to each record. */
  known: PredictionType | undefined;
  layout: Pick<Layout, 'mergedTexts'>;
}

/**
 * Scores batches one after the other, without retries.
 *
 * @returns null without batches
 * @throws CallError; RowcastError `wrong_answer` if responses have predictions of different kinds
 */
async function sampleRequests(
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
    firstRow ??= firstRowOf(outcome, { known, layout });
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
  { known, layout }: Pick<SampleOptions, 'known' | 'layout'>,
): Sample['firstRow'] {
  const first = merged === undefined ? predictions : mergedFirst(layout.mergedTexts(merged.bytes), known);
  const predicted = first && predictionTypeOf(first) && predictionOf(first, 0);
  return predicted === undefined || 'error' in predicted ? null : predicted;
}

/** The prediction that ends the first of merged records. */
function mergedFirst(
  records: readonly (readonly string[])[],
  known: PredictionType | undefined,
): Predictions | undefined {
  const width = known?.kind === 'numbers' ? numbersPerRow(known.names) : classesOf(known).length;
  const last = records.find(({ length }) => width > 0 && length >= width)?.slice(-width);
  // A row that was rejected has empty fields.
  if (last === undefined || last.includes('')) return undefined;
  const values = Float64Array.from(last, Number);
  const errors = new Map();
  if (known?.kind === 'numbers') return { ...known, values, errors };
  return { kind: 'distribution', classes: classesOf(known), probabilities: values, errors };
}
