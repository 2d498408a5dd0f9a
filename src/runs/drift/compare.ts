import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

/** How much a distribution has changed; null if it cannot be compared. */
interface DriftEntry {
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
  /** By class, or by predicted number. */
  scores: Record<string, DriftEntry & Pick<ComparedScore, 'kind'>>;
  /** How the shares of the predicted labels have changed; null if no labels were predicted. */
  labels: DriftEntry | null;
}

/** A class, or a predicted number. */
export interface ComparedScore {
  name: string;
  kind: 'probability' | 'number';
  /** The rows between edges that the earlier run has chosen; undefined if they were not counted. */
  rowsBetween: (edges: readonly number[]) => number[] | undefined;
}

interface DriftComparison {
  columns: readonly EarlierColumn[];
  scores: readonly ComparedScore[];
  /** The rows of each predicted label; null if no labels were predicted or counted. */
  labels: LabelFigures | null;
}

/** Compares what a run has found in its data with what an earlier one had found. */
export function compareSummaries(
  earlier: EarlierFigures,
  { columns, scores, labels }: DriftComparison,
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
      scores.map(({ name, kind, rowsBetween }) => {
        const before = scoresBefore.get(name);
        const ranges = before?.kind === kind ? before.ranges : undefined;
        return [name, { kind, ...entryOf(ranges?.rows, ranges && rowsBetween(ranges.edges)) }];
      }),
    ),
    labels: labels && labelEntry(earlier.labels, labels),
  };
}

/** Labels that the earlier run has not counted are its others. */
function labelEntry(before: LabelFigures | null | undefined, now: LabelFigures): DriftEntry {
  if (!before) return entryOf(undefined, undefined);
  const counted = new Map(now.names.map((name, i) => [name, now.rows[i] ?? 0]));
  const rows = before.names.map(name => counted.get(name) ?? 0);
  const others = sumOf(now.rows) + now.others - sumOf(rows);
  return entryOf([...before.rows, before.others], [...rows, others]);
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

/**
 * The population stability index of two distributions over the same bins: the sum of (now - before) * ln(now / before)
 * of the bins' shares. See Siddiqi, Credit Risk Scorecards (2006), and Yurdakul and Naranjo, Statistical properties of
 * the population stability index, Journal of Risk Model Validation 14 (2020).
 *
 * A bin that is empty in one of them counts as half a row there, as in SAS (WOEADJUST= of PROC HPBIN), because the
 * logarithm of 0 is infinite. One that is empty in both counts nothing.
 *
 * @returns null if one of them has no rows
 */
export function stabilityIndex(before: readonly number[], now: readonly number[]): number | null {
  const [totalBefore, totalNow] = [sumOf(before), sumOf(now)];
  if (totalBefore === 0 || totalNow === 0) return null;
  let sum = 0;
  for (const [bin, rows] of now.entries()) {
    const rowsBefore = before[bin] ?? 0;
    if (rows === 0 && rowsBefore === 0) continue;
    const share = (rows || EMPTY) / totalNow;
    const shareBefore = (rowsBefore || EMPTY) / totalBefore;
    sum += (share - shareBefore) * Math.log(share / shareBefore);
  }
  return Number(sum.toFixed(DIGITS));
}

/**
 * The index that two samples of the same data exceed in fewer than one of 10,000 comparisons: times the number of rows,
 * it is distributed as chi-squared (Yurdakul and Naranjo, 2020), whose quantile Wilson and Hilferty approximate (The
 * distribution of chi-square, PNAS 17, 1931).
 *
 * @returns null if one of them has no rows
 */
export function indexOfChance(before: readonly number[], now: readonly number[]): number | null {
  const [totalBefore, totalNow] = [sumOf(before), sumOf(now)];
  if (totalBefore === 0 || totalNow === 0) return null;
  const used = now.filter((rows, bin) => rows > 0 || (before[bin] ?? 0) > 0).length;
  const freedom = Math.max(1, used - 1);
  const spread = 2 / (9 * freedom);
  const quantile = freedom * (1 - spread + DEVIATIONS * Math.sqrt(spread)) ** 3;
  return Number((quantile * (1 / totalBefore + 1 / totalNow)).toFixed(DIGITS));
}

/** Standard deviations of the normal distribution for one of 10,000 above. */
const DEVIATIONS = 3.72;

const EMPTY = 0.5;
const DIGITS = 4;

/** The index from which on a change is moderate, and significant: the rule of thumb that both of the above give. */
const LIMITS = { moderate: 0.1, significant: 0.25 } as const;

export type Change = 'none' | keyof typeof LIMITS;

export function changeOf(index: number): Change {
  if (index >= LIMITS.significant) return 'significant';
  return index >= LIMITS.moderate ? 'moderate' : 'none';
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const MAX_ENTRIES = 1000;
const MAX_BINS = 1000;

const count = z.number().min(0);
const counts = z.array(count).max(MAX_BINS);

const ranges = z
  .object({ edges: z.array(z.number()).max(MAX_BINS).readonly(), rows: counts })
  .refine(({ edges, rows }) => rows.length === edges.length + 1);

/** Rows by name, and those of all others. */
const namedRows = z
  .object({ names: z.array(z.string()).max(MAX_BINS).readonly(), rows: counts, others: count })
  .refine(({ names, rows }) => rows.length === names.length);

/** The labels of a summary, the most frequent first. */
export const labelShape = namedRows.nullable().default(null);
export type LabelFigures = z.infer<typeof namedRows>;

/** A column in a summary. Counts are of the rows that are not malformed; null stands for what is not known. */
const column = z.object({
  name: z.string(),
  /** Values that are missing. */
  missing: count,
  /** Values that do not fit the column's type. */
  mismatched: count.nullable(),
  /** Values that are categories which the model does not know. */
  unseen: count.nullable(),
  /** For a column of numbers: the rows below the first edge, from each edge to the next, and from the last one. */
  ranges: ranges.nullable(),
  /**
   * For a column of categories: the rows of the most frequent ones of the training, and of all others that the model
   * knows.
   */
  categories: namedRows.nullable(),
});

const columnFigures = column.extend({
  /** Among all rows that were counted; null if there are none. */
  missing_share: z.number().nullable(),
  /** Values that are known categories only in another form, such as without the spaces around them. */
  trimmed: count.nullable(),
  /** The mean of a column of numbers. */
  mean: z.number().nullable(),
  /** These figures for the rows that the report was trained on. */
  training: z
    .object({ rows: count, missing: count, mismatched: count, unseen: count, mean: z.number().nullable() })
    .nullable(),
});
export type ColumnFigures = z.infer<typeof columnFigures>;

/** The columns of a summary. */
export const columnShapes = z.array(columnFigures).max(MAX_ENTRIES);
const kind = z.enum(['probability', 'number']).default('probability');

/** A class, or a predicted number, in a summary: limits of bins near the deciles, and the rows between them. */
const scoreFigures = z.object({ kind, mean: z.number(), deciles: z.array(z.number()).max(MAX_BINS), ranges });
export type ScoreFigures = z.infer<typeof scoreFigures>;

/** The scores of a summary, by class or number. */
export const scoreShapes = z.record(z.string(), scoreFigures);

/** What a comparison takes from the summary of an earlier run. */
export const earlierFigures = z.object({
  run_id: z.string(),
  started_at: z.string(),
  input: z.string(),
  report: z.string().nullable(),
  rows: z.object({ read: count }),
  columns: z.array(column).max(MAX_ENTRIES).nullable(),
  scores: z.record(z.string(), z.object({ kind, ranges })).nullable(),
  labels: labelShape,
});

export type EarlierFigures = z.infer<typeof earlierFigures> & {
  /** The file, for display. */
  file: string;
};
export type EarlierColumn = z.infer<typeof column>;

/** Whether there is anything to compare with. */
export const hasCounts = ({ columns, scores, labels }: z.infer<typeof earlierFigures>): boolean =>
  Object.values(scores ?? {}).length > 0 ||
  labels !== null ||
  (columns ?? []).some(({ ranges, categories }) => ranges !== null || categories !== null);
