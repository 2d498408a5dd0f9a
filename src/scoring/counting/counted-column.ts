import type { ColumnProfile, TrainingProfile } from '../../base/contract/profile.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { type Driver, stopsAbove, type UnknownKind, weightsOf } from './columns-that-matter.ts';

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
   * Whether it also counts what is not exceptional: sums, ranges, categories and probabilities. That takes some percent of
   * the time of a local model, so a run does so only if the result is written somewhere.
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
  column: { name: string; type?: string | undefined; decimal?: string | undefined } | undefined,
  training: ColumnProfile | undefined,
): LearnedColumn | undefined {
  if (column === undefined) return undefined;
  const { name, type, decimal } = column;
  if (type === 'numerical') return { name, type, notation: decimal === ',' ? 'comma' : 'point' };
  if (type === 'categorical') return { name, type, levels: training?.levels ?? [], others: 'merged' };
  const order = training?.date_order;
  if (type !== 'date' || order === undefined) return undefined;
  return { name, type, order, piece: 'day' };
}
