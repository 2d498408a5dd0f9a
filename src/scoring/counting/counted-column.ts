import type { ColumnProfile, TrainingProfile } from '../../base/contract/profile.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';

/** A column whose values a run counts, as plain data. */
export interface CountedColumn {
  name: string;
  /** The index of its field in a record. */
  index: number;
  /** The type that is sent; see `FeatureColumn`. */
  type: string | undefined;
  /** How the model reads it; undefined if the report does not say. */
  learned: LearnedColumn | undefined;
  /** Whether the model's categories are known. */
  hasLevels: boolean;
  /** The limits of the ranges in which numbers are counted; none without a training profile. */
  edges: readonly number[];
  /** Names of the categories that are counted each, the most frequent in training first. */
  levels: readonly string[];
  training: ColumnProfile | undefined;
  /** The share of values of each kind above which a run stops by default, if the column matters. */
  stopsAbove?: Record<UnknownKind, number | undefined> | undefined;
  /** How much the column matters, from 0 to 1; see `weightsOf`. */
  weight?: number | undefined;
  /** Whether no limit on missing values applies, because the user knows that the input lacks the column. */
  mayBeMissing?: boolean | undefined;
}

/** Categories that are counted separately; all other known ones are counted together. */
const MAX_LEVELS = 20;

/** What a run counts, as plain data. */
export interface Counting {
  columns: readonly CountedColumn[];
  /**
   * Whether it also counts what is not exceptional: sums, ranges, categories and probabilities. That takes some percent
   * of the time of a local model, so a run does so only if the result is written somewhere.
   */
  isDetailed: boolean;
}

/** Whether a run may warn of values of this column: their type, or their categories, are known. */
export const hasUnrecognized = ({ learned, hasLevels }: CountedColumn): boolean =>
  learned !== undefined && (learned.type !== 'categorical' || hasLevels);

/** Whether a run without details counts this column: its default limits may apply, or it may be warned of. */
export const isLimited = (column: CountedColumn): boolean =>
  column.training !== undefined || hasUnrecognized(column);

interface ReportOfColumns {
  columns?: readonly { name: string; type?: string | undefined; decimal?: string | undefined }[] | undefined;
  profile?: TrainingProfile | undefined;
  drivers?: readonly Driver[] | undefined;
}

/**
 * Decides how the values of each column are counted.
 *
 * @param learned the columns of the model, if it is on this machine
 * @param allowed the columns that the input lacks with the user's consent
 */
export function countedColumns(
  features: readonly { name: string; index: number; type: string | undefined }[],
  { columns = [], profile, drivers }: ReportOfColumns,
  learned?: readonly LearnedColumn[],
  allowed: readonly string[] = [],
): CountedColumn[] {
  const profiles = new Map(profile?.columns.map(column => [column.name, column]));
  const reported = new Map(columns.map(column => [column.name, column]));
  // A date may be several columns of the model; the first is the day.
  const own = new Map(learned?.toReversed().map(column => [column.name, column]));
  const read = learned === undefined ? features : features.filter(({ name }) => own.has(name));
  const weight = weightsOf(
    drivers,
    read.map(({ name }) => name),
  );
  return read.map(({ name, index, type }) => {
    const training = profiles.get(name);
    const column = own.get(name) ?? learnedFrom(reported.get(name), training);
    const isCategorical = column?.type === 'categorical';
    return {
      name,
      index,
      type,
      training,
      learned: column,
      hasLevels: isCategorical && (own.has(name) || training?.levels !== undefined),
      edges: column?.type === 'numerical' ? (training?.edges ?? []) : [],
      levels: isCategorical ? column.levels.slice(0, MAX_LEVELS) : [],
      stopsAbove: stopsAbove(training, profile?.rows),
      weight: weight(name),
      mayBeMissing: allowed.includes(name),
    };
  });
}

/** A column of a model elsewhere, as far as its report describes it. */
function learnedFrom(
  column:
    | { name: string; type?: string | undefined; decimal?: string | undefined; notation?: string | undefined }
    | undefined,
  training: ColumnProfile | undefined,
): LearnedColumn | undefined {
  if (column === undefined) return undefined;
  const { name, type, decimal, notation } = column;
  if (type === 'numerical' && notation === 'python') return { name, type, notation };
  if (type === 'numerical') return { name, type, notation: decimal === ',' ? 'comma' : 'point' };
  if (type === 'categorical') return { name, type, levels: training?.levels ?? [], others: 'merged' };
  const order = training?.date_order;
  if (type !== 'date' || order === undefined) return undefined;
  return { name, type, order, piece: 'day' };
}

/** A kind of values that the model learns nothing from. */
export type UnknownKind = 'missing' | 'mismatched' | 'unseen';

/** A column of a report and its share of what the predictions depend on. */
interface Driver {
  column: string;
  impact: number;
}

/** In an input with fewer rows, a share of them says little: it is no more than a few. */
export const MIN_ROWS_FOR_SHARE = 10;

/** A column with this share of the drivers' impact matters, however many columns there are. */
const MIN_IMPACT = 0.01;
/** The share of values that the model recognized in training and does not recognize now, above which a run stops. */
const DEFAULT_SHARE = 0.5;

/**
 * Decides how much columns matter. A run must not go on if most values of columns mean nothing to the model whose
 * weights add up to 1: a single one with at least 1% of the impact of all drivers, or with as much as the average
 * column, because the impact of each of very many columns is small; or several with less. If the report does not say,
 * each matters.
 *
 * @param names of the columns that the model gets
 * @returns the weight of a column, from 0 to 1
 */
export function weightsOf(
  drivers: readonly Driver[] = [],
  names: readonly string[],
): (name: string) => number {
  const known = new Set(names);
  const impacts = new Map(
    drivers.flatMap(({ column, impact }) => (known.has(column) && impact > 0 ? [[column, impact]] : [])),
  );
  if (impacts.size === 0) return () => 1;
  const total = [...impacts.values()].reduce((sum, impact) => sum + impact, 0);
  const least = total * Math.min(MIN_IMPACT, 1 / names.length);
  return name => Math.min(1, (impacts.get(name) ?? 0) / least);
}

/**
 * By kind, the share above which a run stops: half of the values that were recognized in training, and all others. A
 * column that often had no value in training may be missing in up to twice as many rows.
 *
 * @returns for missing values undefined, if nothing is known of the training
 */
function stopsAbove(
  training: Pick<ColumnProfile, UnknownKind> | undefined,
  rows: number | undefined,
): Record<UnknownKind, number | undefined> {
  const missing = training?.missing ?? 0;
  const shareOf = (before: number, among: number | undefined): number => {
    const inTraining = among === undefined || among <= 0 ? 0 : before / among;
    return inTraining + DEFAULT_SHARE * (1 - inTraining);
  };
  const there = rows === undefined ? undefined : rows - missing;
  return {
    missing:
      training === undefined || rows === undefined
        ? undefined
        : Math.max(shareOf(missing, rows), (2 * missing) / rows),
    mismatched: shareOf(training?.mismatched ?? 0, there),
    unseen: shareOf(training?.unseen ?? 0, there),
  };
}
