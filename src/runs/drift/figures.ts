import { classesOf, codePointOrder, type PredictionType } from '../../base/contract/predictions.ts';
import type { CountedColumn } from '../../scoring/counting/counted-column.ts';
import { numberLimit } from '../../scoring/counting/numbers/counted-predictions.ts';
import type { RunTally } from '../../scoring/counting/run-tally.ts';
import { binQuantile, lowerLimit, type TallyLayout } from '../../scoring/counting/tally.ts';
import {
  type ColumnFigures,
  type ComparedScore,
  compareSummaries,
  type DriftFigures,
  type EarlierFigures,
  type LabelFigures,
  type ScoreFigures,
} from './compare.ts';

/** What a run has found in its data. */
export interface DataFigures {
  columns: ColumnFigures[];
  /** The names of the columns that predictions depend on. */
  matters: readonly string[];
  /** Figures of the probabilities or numbers; null if they were not counted. */
  scores: Record<string, ScoreFigures> | null;
  /** The predicted labels; null if they were not counted. */
  labels: LabelFigures | null;
  /** Null unless they were compared with an earlier run. */
  drift: DriftFigures | null;
}

interface FiguresOptions {
  /** Rows whose values were counted. */
  rows: number;
  /** Undefined if it is not known yet. */
  predictionType: PredictionType | undefined;
  /** Rows of the report's profile. */
  trainingRows: number | undefined;
  /** The run to compare with. */
  earlier?: EarlierFigures | undefined;
}

/** Columns, and classes, in a summary. */
const MAX_ENTRIES = 1000;

export function figuresOf(
  tally: RunTally,
  layout: TallyLayout,
  { rows, predictionType, trainingRows, earlier }: FiguresOptions,
): DataFigures {
  const all = layout.columns.map((column, i) =>
    columnFigures(column, i, tally, layout, { rows, trainingRows }),
  );
  const columns = all.length > MAX_ENTRIES ? worst(all) : all;
  const counted = countedScores(tally, predictionType);
  const labels = tally.isDetailed && predictionType?.kind === 'label' ? labelFigures(tally) : null;
  return {
    columns,
    matters: layout.columns.filter(({ weight = 0 }) => weight >= 1).map(({ name }) => name),
    scores:
      tally.isDetailed && predictionType?.kind !== 'label'
        ? Object.fromEntries(
            counted.flatMap(score => {
              const own = scoreFigures(score);
              return own === undefined ? [] : [[score.name, own] as const];
            }),
          )
        : null,
    labels,
    drift: earlier === undefined ? null : compareSummaries(earlier, { columns, scores: counted, labels }),
  };
}

/** Keeps, if there are very many columns, those with the most values that the model does not know. */
function worst(columns: readonly ColumnFigures[]): ColumnFigures[] {
  const unknown = ({ mismatched, unseen }: ColumnFigures) => (mismatched ?? 0) + (unseen ?? 0);
  return columns.toSorted((a, b) => unknown(b) - unknown(a)).slice(0, MAX_ENTRIES);
}

function columnFigures(
  column: CountedColumn,
  index: number,
  tally: RunTally,
  layout: TallyLayout,
  { rows: all, trainingRows }: Pick<FiguresOptions, 'rows' | 'trainingRows'>,
): ColumnFigures {
  const { name, learned, hasLevels, edges, levels, training } = column;
  const [missing = 0, mismatched = 0, unseen = 0, trimmed = 0] = tally.counts.subarray(
    layout.unrecognizedAt(index),
  );
  const bins = [...tally.counts.subarray(layout.binsAt(index), layout.binsEnd(index))];
  const isCategorical = learned?.type === 'categorical';
  /** What only a column whose categories are known can say. */
  const ofCategories = (count: number): number | null =>
    isCategorical ? (hasLevels ? count : null) : learned === undefined ? null : 0;
  const given = bins.reduce((sum, rows) => sum + rows, 0);
  // Without a type, a column is one of numbers if all of its values are.
  const isNumerical = learned === undefined ? mismatched === 0 : learned.type === 'numerical';
  return {
    name,
    missing,
    missing_share: all === 0 ? null : Number((missing / all).toPrecision(6)),
    mismatched: learned === undefined ? null : mismatched,
    unseen: ofCategories(unseen),
    trimmed: ofCategories(trimmed),
    mean: isNumerical && given > 0 ? Number(((tally.sums[index] ?? 0) / given).toPrecision(6)) : null,
    training:
      training === undefined || trainingRows === undefined
        ? null
        : {
            rows: trainingRows,
            missing: training.missing,
            mismatched: training.mismatched,
            unseen: training.unseen,
            mean: training.mean ?? null,
          },
    ranges: edges.length === 0 || !tally.isDetailed ? null : { edges, rows: bins },
    categories:
      isCategorical && hasLevels && tally.isDetailed
        ? { names: levels, rows: bins.slice(0, levels.length), others: bins[levels.length] ?? 0 }
        : null,
  };
}

/** What was counted of a class or a number. */
interface CountedScore extends ComparedScore {
  /** By bin; undefined if nothing was counted. */
  counts: Float64Array | undefined;
  limitOf: (bin: number) => number;
  /** @param rows all that were counted */
  mean: (rows: number) => number;
}

/** The name of a number that is the only one. */
export const ONLY_NUMBER = 'prediction';

function countedScores(tally: RunTally, predictionType: PredictionType | undefined): CountedScore[] {
  const { numbers, scoreSums } = tally;
  if (predictionType?.kind === 'numbers') {
    const names = predictionType.names.length === 0 ? [ONLY_NUMBER] : predictionType.names;
    return names.slice(0, numbers?.perRow ?? MAX_ENTRIES).map((name, index) =>
      countedScore(name, 'number', {
        counts: numbers?.countsOf(index),
        limitOf: numberLimit,
        mean: rows => numbers?.meanOf(index, rows) ?? 0,
      }),
    );
  }
  return classesOf(predictionType)
    .slice(0, MAX_ENTRIES)
    .map((name, index) =>
      countedScore(name, 'probability', {
        counts: tally.isDetailed && index < scoreSums.length ? tally.scoresOf(index) : undefined,
        limitOf: lowerLimit,
        mean: rows => (scoreSums[index] ?? 0) / rows,
      }),
    );
}

const countedScore = (
  name: string,
  kind: ScoreFigures['kind'],
  counted: Pick<CountedScore, 'counts' | 'limitOf' | 'mean'>,
): CountedScore => ({
  name,
  kind,
  ...counted,
  rowsBetween: edges => counted.counts && rowsBetween(counted.counts, edges, counted.limitOf),
});

/** @returns undefined without scored rows */
function scoreFigures({ kind, counts, limitOf, mean }: CountedScore): ScoreFigures | undefined {
  const rows = counts?.reduce((sum, own) => sum + own, 0) ?? 0;
  if (counts === undefined || rows === 0) return undefined;
  const deciles = Array.from({ length: 9 }, (_, i) =>
    Number(binQuantile(counts, (i + 1) / 10, limitOf).toPrecision(4)),
  );
  const edges = decileEdges(counts, rows, limitOf, kind === 'number');
  return {
    kind,
    mean: Number(mean(rows).toPrecision(6)),
    deciles,
    ranges: { edges, rows: rowsBetween(counts, edges, limitOf) },
  };
}

/**
 * The upper limits of the bins in which the deciles are, each once.
 *
 * @param hasLower whether the lower limits of bins that have more rows than a decile are edges as well: predicted
 *   numbers are often the same one, such as 0, and rows that come to be below it are to be seen
 */
function decileEdges(
  counts: Float64Array,
  rows: number,
  limitOf: (bin: number) => number,
  hasLower: boolean,
): number[] {
  const edges: number[] = [];
  let below = 0;
  let decile = 1;
  for (const [bin, own] of counts.entries()) {
    below += own;
    if (decile > 9 || below < (decile * rows) / 10) continue;
    while (decile <= 9 && below >= (decile * rows) / 10) decile++;
    if (hasLower && own > rows / 10 && edges.at(-1) !== limitOf(bin)) edges.push(limitOf(bin));
    if (hasLower || below < rows) edges.push(limitOf(bin + 1));
  }
  return edges;
}

/** The rows of a histogram between limits of its bins, also of those that another run has chosen. */
function rowsBetween(
  counts: Float64Array,
  edges: readonly number[],
  limitOf: (bin: number) => number,
): number[] {
  const rows = new Array<number>(edges.length + 1).fill(0);
  let range = 0;
  for (const [bin, own] of counts.entries()) {
    while (range < edges.length && limitOf(bin) >= (edges[range] ?? 1)) range++;
    rows[range] = (rows[range] ?? 0) + own;
  }
  return rows;
}

/** The most frequent first, so that a summary does not depend on the order of rows. */
function labelFigures({ labels }: RunTally): LabelFigures {
  const { names, rows, others } = labels?.toJSON() ?? { names: [], rows: [], others: 0 };
  const sorted = names
    .map((name, i) => ({ name, rows: rows[i] ?? 0 }))
    .sort((a, b) => b.rows - a.rows || codePointOrder(a.name, b.name));
  return { names: sorted.map(({ name }) => name), rows: sorted.map(label => label.rows), others };
}
