import { OF_CLASS, OTHERS } from './class-tally.ts';
import { type Estimate, estimate, undefinedFigure, withoutInterval } from './estimates.ts';
import type { ScoreGroups } from './score-bins.ts';

/** How well the probability of a class ranks its rows above all others. */
export interface Ranking {
  /** The area under the ROC curve, with DeLong's interval. */
  auc: Estimate;
  gini: Estimate;
  /** The largest distance between the distributions of the probability in the class and in all others. */
  ks: Estimate;
  /** From (0, 0) to (1, 1): the shares of others, and of the class, that have at least a probability. */
  roc: [others: number, ofClass: number][];
}

/** A point of a curve is left out if it is closer than this to the one before it. */
const MIN_STEP = 1 / 120;

/**
 * AUC is the probability that a row of the class has the higher probability, with ties as half (Mann and Whitney). Its
 * standard error is that of DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988): the variances of the shares of
 * others below each row of the class, and of rows of the class above each other row.
 */
export function rankingOf({ scores, sums }: ScoreGroups): Ranking {
  const [others, ofClass] = [sums[OTHERS] as Float64Array, sums[OF_CLASS] as Float64Array];
  const [wrong, right] = [totalOf(others), totalOf(ofClass)];
  if (wrong === 0 || right === 0) {
    const none = undefinedFigure(
      wrong + right === 0
        ? 'no row has a label'
        : right === 0
          ? 'no row has the class'
          : 'all rows have the class',
    );
    return { auc: none, gini: none, ks: none, roc: [] };
  }
  let area = 0;
  walk((n, p, below) => {
    area += (p / right) * ((below.others + n / 2) / wrong);
  });
  let [ofClassSquares, othersSquares, distance] = [0, 0, 0];
  const points: [number, number][] = [[1, 1]];
  walk((n, p, below) => {
    ofClassSquares += p * ((below.others + n / 2) / wrong - area) ** 2;
    othersSquares += n * ((right - below.ofClass - p / 2) / right - area) ** 2;
    const point: [number, number] = [1 - (below.others + n) / wrong, 1 - (below.ofClass + p) / right];
    distance = Math.max(distance, Math.abs(point[1] - point[0]));
    points.push(point);
  });
  const error =
    right > 1 && wrong > 1
      ? Math.sqrt(ofClassSquares / (right - 1) / right + othersSquares / (wrong - 1) / wrong)
      : undefined;
  return {
    auc: estimate(area, error, [0, 1]),
    gini: estimate(2 * area - 1, error && 2 * error, [-1, 1]),
    ks: withoutInterval(distance),
    roc: thinned(points.reverse()),
  };

  /** Calls with the rows of each score, ascending, and how many have a lower one. */
  function walk(visit: (n: number, p: number, below: { others: number; ofClass: number }) => void): void {
    const below = { others: 0, ofClass: 0 };
    for (let i = 0; i < scores.length; i++) {
      const [n, p] = [others[i] as number, ofClass[i] as number];
      if (n + p === 0) continue;
      visit(n, p, below);
      below.others += n;
      below.ofClass += p;
    }
  }
}

export const totalOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);

function thinned(points: readonly [number, number][]): [number, number][] {
  const kept: [number, number][] = [];
  for (const [i, [x, y]] of points.entries()) {
    const last = kept.at(-1);
    const isNear = last !== undefined && x - last[0] < MIN_STEP && y - last[1] < MIN_STEP;
    if (!isNear || i === points.length - 1) kept.push([toFive(x), toFive(y)]);
  }
  return kept;
}

const toFive = (value: number): number => Number(value.toFixed(5));

/** What is found among the rows with the highest probabilities. */
export interface Gain {
  /** The share of rows, from the highest probability down. */
  top: number;
  /** The share of all rows of the class that is among them. */
  captured: number;
  /** How many times as frequent the class is in this tenth as in all rows, and in all tenths so far. */
  lift: number;
  cumulative_lift: number;
}

/** Cumulative gains by tenths of the rows. Rows with equal probabilities are spread evenly: their order is chance. */
export function gainsOf({ scores, sums }: ScoreGroups): Gain[] {
  const [others, ofClass] = [sums[OTHERS] as Float64Array, sums[OF_CLASS] as Float64Array];
  const right = totalOf(ofClass);
  const all = right + totalOf(others);
  if (right === 0) return [];
  const gains: Gain[] = [];
  let [rows, found] = [0, 0];
  for (let i = scores.length - 1; i >= 0; i--) {
    const p = ofClass[i] as number;
    const own = p + (others[i] as number);
    if (own === 0) continue;
    while (gains.length < TENTHS) {
      const wanted = ((gains.length + 1) * all) / TENTHS;
      // Rounding must not move a tenth behind the last row.
      if (wanted > rows + own + 1e-9 * all) break;
      const captured = Math.min(1, (found + (p * (wanted - rows)) / own) / right);
      const before = gains.at(-1)?.captured ?? 0;
      const top = (gains.length + 1) / TENTHS;
      gains.push({ top, captured, lift: (captured - before) * TENTHS, cumulative_lift: captured / top });
    }
    rows += own;
    found += p;
  }
  return gains;
}

const TENTHS = 10;
