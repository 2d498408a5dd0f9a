import { isDeepStrictEqual } from 'node:util';
import type { EarlierColumn, EarlierFigures } from './earlier-figures.ts';
import { type Change, changeOf, indexOfChance, stabilityIndex } from './stability-index.ts';

/** How much a distribution has changed; null if it cannot be compared. */
export interface DriftEntry {
  /** Population stability index. */
  psi: number | null;
  change: Change | null;
  /** The index that the same data seldom exceeds by chance, in as many rows. */
  chance: number | null;
}

/** The comparison with an earlier run in a summary. */
export interface DriftFigures {
  /** The run with which this one was compared. */
  compared_with: { summary: string; run_id: string; started_at: string; input: string; rows: number };
  /** In the order of the summary's columns. */
  columns: ({ name: string } & DriftEntry)[];
  /** By class. */
  scores: Record<string, DriftEntry>;
}

export interface DriftComparison {
  columns: readonly EarlierColumn[];
  /**
   * The rows of a class's probabilities between edges that the earlier run has chosen; undefined if they were not
   * counted.
   */
  rowsOf: (name: string, edges: readonly number[]) => number[] | undefined;
  classes: readonly string[];
}

/** Compares what a run has found in its data with what an earlier one had found. */
export function compare(
  earlier: EarlierFigures,
  { columns, classes, rowsOf }: DriftComparison,
): DriftFigures {
  const { file: summary, run_id, started_at, input, rows } = earlier;
  const columnsBefore = new Map(earlier.columns?.map(column => [column.name, column]));
  const scoresBefore = new Map(Object.entries(earlier.scores ?? {}));
  return {
    compared_with: { summary, run_id, started_at, input, rows: rows.read },
    columns: columns.map(column => {
      const before = columnsBefore.get(column.name);
      const bins = before && comparableBins(before, column);
      return { name: column.name, ...entryOf(bins?.before, bins?.now) };
    }),
    scores: Object.fromEntries(
      classes.map(name => {
        const before = scoresBefore.get(name)?.ranges;
        return [name, entryOf(before?.rows, before && rowsOf(name, before.edges))];
      }),
    ),
  };
}

function entryOf(before: readonly number[] | undefined, now: readonly number[] | undefined): DriftEntry {
  if (before === undefined || now === undefined) return { psi: null, change: null, chance: null };
  const psi = stabilityIndex(before, now);
  return { psi, change: psi === null ? null : changeOf(psi), chance: indexOfChance(before, now) };
}

/**
 * The rows of the bins of a column: its ranges or categories, and missing, mismatched and unknown values.
 *
 * @returns undefined if their bins are not the same: the report was trained again, or the report has no profile
 */
function comparableBins(
  before: EarlierColumn,
  now: EarlierColumn,
): { before: number[]; now: number[] } | undefined {
  const isComparable =
    now.ranges === null
      ? now.categories !== null && isDeepStrictEqual(now.categories.names, before.categories?.names)
      : isDeepStrictEqual(now.ranges.edges, before.ranges?.edges);
  return isComparable ? { before: binsOf(before), now: binsOf(now) } : undefined;
}

const binsOf = ({ missing, mismatched, unseen, ranges, categories }: EarlierColumn): number[] => [
  ...(ranges?.rows ?? categories?.rows ?? []),
  categories?.others ?? 0,
  missing,
  mismatched ?? 0,
  unseen ?? 0,
];
