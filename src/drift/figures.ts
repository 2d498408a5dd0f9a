import type { CountedColumn } from './counted-column.ts';
import type { RunTally } from './run-tally.ts';
import { binQuantile, lowerLimit } from './score-bins.ts';
import type { TallyLayout } from './tally.ts';

/** A column in a summary. Counts are of the rows that are not malformed; null stands for what is not known. */
export interface ColumnFigures {
  name: string;
  /** Values that are missing. */
  missing: number;
  /** Values that do not fit the column's type. */
  mismatched: number | null;
  /** Values that are categories which the model does not know. */
  unseen: number | null;
  /** Of a column of numbers. */
  mean: number | null;
  /** The same in the rows that the report was trained on. */
  training: { rows: number; missing: number; mismatched: number; unseen: number; mean: number | null } | null;
  /** Of numbers: the rows below the first edge, from each edge to the next, and from the last one. */
  ranges: { edges: readonly number[]; rows: number[] } | null;
  /** Of categories: the rows of the most frequent ones of the training, and of all others that the model knows. */
  categories: { names: readonly string[]; rows: number[]; others: number } | null;
}

/** A class in a summary. */
export interface ScoreFigures {
  mean: number;
  deciles: number[];
  /** Probabilities near the deciles, and the rows between them. */
  ranges: { edges: number[]; rows: number[] };
}

/** What a run has found in its data. */
export interface DataFigures {
  columns: ColumnFigures[];
  /** Null if they were not counted. */
  scores: Record<string, ScoreFigures> | null;
}

/** Columns, and classes, in a summary. */
const MAX_ENTRIES = 1000;

/** @param trainingRows of the report's profile */
export function figuresOf(
  tally: RunTally,
  layout: TallyLayout,
  { classes, trainingRows }: { classes: readonly string[]; trainingRows: number | undefined },
): DataFigures {
  const columns = layout.columns.map((column, i) => columnFigures(column, i, tally, layout, trainingRows));
  return {
    columns: columns.length > MAX_ENTRIES ? worst(columns) : columns,
    scores: tally.isDetailed ? scoresOf(tally, classes) : null,
  };
}

function scoresOf(tally: RunTally, classes: readonly string[]): Record<string, ScoreFigures> {
  const scored = tally.scoreSums.length === 0 ? [] : classes.slice(0, MAX_ENTRIES);
  return Object.fromEntries(
    scored.flatMap((name, index) => {
      const own = scoreFigures(tally, index);
      return own === undefined ? [] : [[name, own] as const];
    }),
  );
}

/** Of very many columns, those with the most values that the model does not know. */
function worst(columns: readonly ColumnFigures[]): ColumnFigures[] {
  const unknown = ({ mismatched, unseen }: ColumnFigures) => (mismatched ?? 0) + (unseen ?? 0);
  return columns.toSorted((a, b) => unknown(b) - unknown(a)).slice(0, MAX_ENTRIES);
}

function columnFigures(
  column: CountedColumn,
  index: number,
  tally: RunTally,
  layout: TallyLayout,
  trainingRows: number | undefined,
): ColumnFigures {
  const { name, learned, hasLevels, edges, levels, training } = column;
  const [missing = 0, mismatched = 0, unseen = 0] = tally.counts.subarray(layout.misfitsAt(index));
  const bins = [...tally.counts.subarray(layout.binsAt(index), layout.binsEnd(index))];
  const isCategorical = learned?.type === 'categorical';
  const given = bins.reduce((sum, rows) => sum + rows, 0);
  // Without a type, a column is one of numbers if all of its values are.
  const isNumerical = learned === undefined ? mismatched === 0 : learned.type === 'numerical';
  return {
    name,
    missing,
    mismatched: learned === undefined ? null : mismatched,
    unseen: isCategorical ? (hasLevels ? unseen : null) : learned === undefined ? null : 0,
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

function scoreFigures(tally: RunTally, index: number): ScoreFigures | undefined {
  const counts = tally.scoresOf(index);
  const rows = counts.reduce((sum, own) => sum + own, 0);
  if (rows === 0) return undefined;
  const deciles = Array.from({ length: 9 }, (_, i) =>
    Number(binQuantile(counts, (i + 1) / 10).toPrecision(4)),
  );
  const edges = decileEdges(counts, rows);
  const mean = Number(((tally.scoreSums[index] ?? 0) / rows).toPrecision(6));
  return { mean, deciles, ranges: { edges, rows: rowsBetween(counts, edges) } };
}

/** The upper limits of the bins in which the deciles are, each once. */
function decileEdges(counts: Float64Array, rows: number): number[] {
  const edges: number[] = [];
  let below = 0;
  let decile = 1;
  for (const [bin, own] of counts.entries()) {
    below += own;
    if (decile > 9 || below < (decile * rows) / 10) continue;
    while (decile <= 9 && below >= (decile * rows) / 10) decile++;
    if (below < rows) edges.push(lowerLimit(bin + 1));
  }
  return edges;
}

/** The rows of a histogram between limits of its bins, also of those that another run has chosen. */
export function rowsBetween(counts: Float64Array, edges: readonly number[]): number[] {
  const rows = new Array<number>(edges.length + 1).fill(0);
  let range = 0;
  for (const [bin, own] of counts.entries()) {
    while (range < edges.length && lowerLimit(bin) >= (edges[range] ?? 1)) range++;
    rows[range] = (rows[range] ?? 0) + own;
  }
  return rows;
}
