import type { Report } from '../../base/contract/schemas.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { type ColumnNumbers, type EngineModel, predictColumns } from '../../models/model/engine.ts';
import { logLoss } from '../learn/evaluation.ts';
import { seededRandom, shuffled } from '../seeded-random.ts';

/** The most shuffles per column; their mean is used. */
const MAX_REPEATS = 3;
/** Each shuffle costs a prediction over all columns, so without a limit the cost would grow with their square. */
export const MAX_SHUFFLES = 600;
/** Shuffles for finding the columns of a very wide table that are worth measuring individually. */
const GROUP_SHUFFLES = 200;
/** More rows than this change no impact by a percent. */
const MAX_ROWS = 5000;
const MIN_ROWS = 1000;
/** Tree nodes that all predictions together may visit: about three seconds. */
const MAX_NODE_VISITS = 3e8;

/**
 * Each column's impact, as a share of the total: how much the log loss, or that of `lossOf`, on unseen rows rises when the column's values
 * are shuffled (permutation importance). A decrease counts as 0. If no column has any impact, all are 0.
 *
 * With more than `MAX_SHUFFLES` columns, neighbouring columns are first shuffled together, and only the
 * columns of the most important groups are shuffled individually; the others have no impact.
 */
export function impacts(
  model: EngineModel,
  columns: readonly ColumnNumbers[],
  labels: readonly number[],
  seed: number,
  lossOf = (probabilities: Float64Array, own: readonly number[]) =>
    logLoss({ probabilities, labels: own, classes: model.width }),
): number[] {
  const random = seededRandom(seed);
  const { trees, depth } = model.shape();
  const predictions = Math.min(MAX_REPEATS * columns.length, MAX_SHUFFLES);
  const affordable = Math.floor(MAX_NODE_VISITS / (predictions * Math.max(1, trees * depth)));
  const rows = Math.max(MIN_ROWS, Math.min(MAX_ROWS, affordable));
  const sample = columns.map(column => evenlySpread(column, rows));
  const sampleLabels = evenlySpread(labels, rows);
  const lossWith = (changed: readonly ColumnNumbers[]) =>
    lossOf(predictColumns(model, changed), sampleLabels);
  const before = lossWith(sample);
  const riseOf = (indexes: readonly number[], repeats: number): number => {
    let rise = 0;
    for (let i = 0; i < repeats; i++) {
      const changed = [...sample];
      for (const index of indexes) changed[index] = shuffled(sample[index] ?? [], random);
      rise += lossWith(changed) - before;
    }
    return Math.max(0, rise / repeats);
  };
  const measured = measuredColumns(columns.length, group => riseOf(group, 1));
  const repeats = Math.min(MAX_REPEATS, Math.floor(MAX_SHUFFLES / measured.length));
  const rises: number[] = columns.map(() => 0);
  for (const index of measured) rises[index] = riseOf([index], repeats);
  const total = rises.reduce((sum, rise) => sum + rise, 0);
  return rises.map(rise => (total > 0 ? rise / total : 0));
}

/** At most this many rows, evenly spread: the training data may be sorted, even by class. */
function evenlySpread<T>(rows: readonly T[], most: number): T[] {
  const step = Math.max(1, rows.length / most);
  return rows.filter((_, i) => Math.floor((i + 1) / step) > Math.floor(i / step));
}

/** The columns to shuffle individually: all, or those of the groups with the largest rise. */
function measuredColumns(count: number, riseOf: (group: readonly number[]) => number): number[] {
  const all = Array.from({ length: count }, (_, index) => index);
  if (count <= MAX_SHUFFLES) return all;
  const size = Math.ceil(count / GROUP_SHUFFLES);
  const groups = Array.from({ length: Math.ceil(count / size) }, (_, i) => {
    const indexes = all.slice(i * size, (i + 1) * size);
    return { indexes, rise: riseOf(indexes) };
  });
  const ranked = groups.sort((a, b) => b.rise - a.rise).flatMap(({ indexes }) => indexes);
  return ranked.slice(0, MAX_SHUFFLES - GROUP_SHUFFLES).sort((a, b) => a - b);
}

/** The columns that a model reads, each once, even if several features are derived from it. */
export function reportColumns(learned: readonly LearnedColumn[]): Report['columns'] {
  const columns = new Map<string, Report['columns'][number]>();
  for (const column of learned) {
    const { name, type } = column;
    const hasDecimalComma = column.type === 'numerical' && column.notation === 'comma';
    columns.set(name, { name, type, ...(hasDecimalComma && { decimal: ',' as const }) });
  }
  return [...columns.values()];
}

/** Each column's impact, summed over its features, the largest first. */
export function driversOf(learned: readonly LearnedColumn[], impacts: readonly number[]): Report['drivers'] {
  const sums = new Map<string, number>();
  learned.forEach(({ name }, i) => {
    sums.set(name, (sums.get(name) ?? 0) + (impacts[i] ?? 0));
  });
  return [...sums].map(([column, impact]) => ({ column, impact })).sort((a, b) => b.impact - a.impact);
}
