import type { RunTally } from '../../scoring/counting/run-tally.ts';
import { binQuantile, lowerLimit } from '../../scoring/counting/score-bins.ts';

/** A class in a summary. */
export interface ScoreFigures {
  mean: number;
  deciles: number[];
  /** Probabilities near the deciles, and the rows between them. */
  ranges: { edges: readonly number[]; rows: number[] };
}

/** By class; a class without scored rows is left out. */
export function scoresOf(tally: RunTally, classes: readonly string[]): Record<string, ScoreFigures> {
  const scored = tally.scoreSums.length === 0 ? [] : classes;
  return Object.fromEntries(
    scored.flatMap((name, index) => {
      const own = scoreFigures(tally, index);
      return own === undefined ? [] : [[name, own] as const];
    }),
  );
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
