import type { PredictionType } from '../base/contract/predictions.ts';
import type { Description } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { unlessStopped } from '../base/interrupted.ts';
import type { RunValues } from '../base/options/values/run-values.ts';
import { sanitize } from '../base/sanitize.ts';
import type { Opened } from '../formats/format.ts';
import { type Formats, readLayout } from '../formats/formats.ts';
import type { WrittenFile } from '../formats/output-columns.ts';
import type { ReadOptions } from '../formats/read-options.ts';
import type { ByteSource } from '../formats/records/byte-source.ts';
import type { InputRange } from '../formats/records/position.ts';
import { type CountedColumn, countedColumns } from './counting/counted-column.ts';
import { chooseFeatures, type FeatureColumn, withOrders } from './feature-columns.ts';
import { appendedFor, appendedOptionsFor } from './merge/appended-for.ts';
import type { Scorer } from './scorer.ts';

/** The options that concern rows, independent of the output. */
export type RowValues = Pick<
  RunValues,
  | ('report' | 'batchRows' | 'batchBytes')
  | ('delimiter' | 'quote' | 'escape' | 'skipLines' | 'maxRecordBytes' | 'limit')
  | ('features' | 'excludeFeatures' | 'predict' | 'allowMissing' | 'types' | 'nulls' | 'missing')
  | ('classes' | 'prefix' | 'prediction' | 'probabilities' | 'decimals' | 'threshold')
  | ('names' | 'keep' | 'rename' | 'outputHeader')
> &
  Partial<Pick<RunValues, 'dedupe'>> &
  Pick<ReadOptions, 'maxColumns' | 'maxGroupBytes' | 'maxFooterBytes'>;

/** What scoring takes from a run. */
export interface ScoredRun {
  values: RowValues;
  /** The formats that the input may have, if they are not the default ones. */
  formats?: Formats | undefined;
  /** Maximum bytes in flight, if not the default ones, which are for a service. */
  windowBytes?: number | undefined;
  /** The part of the input to score, if the run is a shard. */
  shard?: ShardInput | undefined;
}

/** The part of an input that is scored as a shard. */
export interface ShardInput {
  /** Rows and lines keep their numbers; undefined: all of the input. */
  range: InputRange | undefined;
  /** What each prediction consists of, as it was found out for all shards. */
  predictionType?: PredictionType | undefined;
}

/** Where the rows of a run come from, who predicts, and the file that is written. */
export interface RowsAndScorer<S extends ByteSource> {
  source: S;
  scorer: Scorer;
  writes?: WrittenFile | undefined;
  stop?: AbortSignal | undefined;
}

/** What is known before the first row is read. */
export interface RowsPlan<S extends ByteSource = ByteSource> extends Opened {
  source: S;
  scorer: Scorer;
  values: RowValues;
  report: Description;
  /** The columns to send. */
  features: readonly FeatureColumn[];
  /** The columns whose values are counted. */
  counted: readonly CountedColumn[];
}

/**
 * Finds everything that can be wrong with the command, before anything is written.
 *
 * @throws RowcastError for a missing report, an invalid header, columns or classes that do not fit
 * @throws Interrupted
 */
export async function prepare<S extends ByteSource>(
  { values, formats, shard }: ScoredRun,
  { source, scorer, writes, stop }: RowsAndScorer<S>,
): Promise<RowsPlan<S>> {
  const report = withPredicted(await unlessStopped(scorer.describe(values.report), stop), values);
  const nulls = nullsOf(values, report);
  const read = { ...values, ...knownOf(values, report), nulls, writes, range: shard?.range };
  const opened = await unlessStopped(readLayout(source, read, formats), stop);
  const { layout } = opened;
  if (read.columns === undefined && layout.namesColumnsLater) throw unknownColumns(source.name);
  const features = chooseFeatures(layout, report, values, source.name);
  appendedFor({ ...values, layout, report }); // throws if their names are not unique
  layout.refuseUnits?.(nulls, source);
  scorer.check?.({ ...values, features, nulls });
  const learned = withOrders(scorer.learnedColumns?.(values.report), features);
  const allowed = values.allowMissing ? layout.absent : [];
  const counted = countedColumns(features, report, learned, allowed);
  return { source, scorer, values: { ...values, nulls }, report, ...opened, features, counted };
}

/** What is known of the columns of an input before it is read. */
export function knownOf(
  { features, excludeFeatures = [], types = {} }: Pick<RowValues, 'features' | 'excludeFeatures' | 'types'>,
  report: Description,
): { columns: readonly string[] | undefined; types: Readonly<Record<string, string>> } {
  const columns = features ?? report.columns?.map(({ name }) => name);
  const known = Object.fromEntries((report.columns ?? []).map(({ name, type = '' }) => [name, type]));
  return {
    columns: columns && [...columns, ...excludeFeatures, ...Object.keys(types)],
    types: { ...known, ...types },
  };
}

const unknownColumns = (file: string): RowcastError =>
  new RowcastError('no_columns', 'the columns of JSON lines are not known before the first row', {
    location: { file },
    hint: 'The report does not list any: name the columns to send with --features NAME,NAME,…',
  });

/**
 * What is known of a model whose predicted column the user names.
 *
 * @throws RowcastError `bad_option` if the service names another one
 */
export function withPredicted(description: Description, { predict }: { predict?: unknown }): Description {
  const { predicts } = description;
  if (typeof predict !== 'string' || predict === predicts) return description;
  if (predicts === undefined) return { ...description, predicts: predict };
  throw new RowcastError(
    'bad_option',
    `--predict: the report predicts "${sanitize(predicts)}", not "${sanitize(predict)}"`,
    { hint: 'Leave out --predict.' },
  );
}

/** The texts that stand for a missing value: those of the options, and those that the report was trained with. */
export const nullsOf = ({ nulls }: Pick<RowValues, 'nulls'>, report: Description): string[] => [
  ...new Set([...nulls, ...(report.nulls ?? [])]),
];

/** What each prediction consists of, if options or report say it before any row is scored. */
export const plannedPredictionType = ({ values, layout, report }: RowsPlan): PredictionType | undefined =>
  appendedOptionsFor({ ...values, layout, report })?.predictionType;
