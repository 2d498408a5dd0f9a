import type { ScoreGroups } from './score-bins.ts';

/** A tenth of the rows, by their score. */
export interface Decile {
  /** The lowest and the highest score. */
  from: number;
  to: number;
  /** By column, the sum over its rows. */
  sums: number[];
}

const TENTHS = 10;

/**
 * Rows by tenths of the score, ascending. Rows with equal scores stay together, in the tenth in which the middle one of
 * them is; a tenth without rows is left out.
 *
 * @param columns what counts as a row
 */
export function decilesOf({ scores, sums }: ScoreGroups, columns: readonly number[]): Decile[] {
  const counted = columns.flatMap(column => sums[column] ?? []);
  const rowsOf = (i: number): number => {
    let rows = 0;
    for (const values of counted) rows += values[i] as number;
    return rows;
  };
  let all = 0;
  for (let i = 0; i < scores.length; i++) all += rowsOf(i);
  const deciles = new Array<Decile | undefined>(TENTHS);
  let below = 0;
  for (let i = 0; i < scores.length; i++) {
    const rows = rowsOf(i);
    if (rows === 0) continue;
    const score = scores[i] as number;
    const tenth = Math.floor((TENTHS * (below + rows / 2)) / all);
    const decile = deciles[tenth] ?? { from: score, to: score, sums: sums.map(() => 0) };
    deciles[tenth] = decile;
    decile.to = score;
    for (let column = 0; column < sums.length; column++)
      decile.sums[column] = (decile.sums[column] as number) + (sums[column]?.[i] as number);
    below += rows;
  }
  return deciles.filter(decile => decile !== undefined);
}

/** Fewer rows than this are expected in a part: then the test is not valid (Cochran's rule). */
const LEAST_EXPECTED = 5;
/** In fewer than 1 of 1,000 cases, chance alone gives more standard deviations than this. */
const DEVIATIONS = 3.0902;
/** Differences that are smaller, as a part of the share of all rows, do not matter, however certain they are. */
const SMALLEST_DIFFERENCE = 0.1;

/**
 * Whether labelled rows are a fair part of all: not if their share differs by more than a tenth of it in some part, and
 * Pearson's chi-squared test says that chance gives such differences in fewer than 1 of 1,000 cases (its quantile as
 * Wilson and Hilferty approximate it, PNAS 17, 1931).
 *
 * @returns undefined if there are too few rows to say it, or all are labelled
 */
export function isFairPart(
  parts: readonly { rows: number; labelled: number }[],
): { chi_squared: number; freedom: number; fair: boolean } | undefined {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0);
  const share = parts.reduce((sum, part) => sum + part.labelled, 0) / rows;
  const rarer = Math.min(share, 1 - share);
  const freedom = parts.length - 1;
  if (freedom < 1 || parts.some(part => part.rows * rarer < LEAST_EXPECTED)) return undefined;
  const chiSquared = parts.reduce(
    (sum, part) => sum + (part.labelled - part.rows * share) ** 2 / (part.rows * share * (1 - share)),
    0,
  );
  const spread = 2 / (9 * freedom);
  const isChance = chiSquared <= freedom * (1 - spread + DEVIATIONS * Math.sqrt(spread)) ** 3;
  const isSmall = parts.every(
    part => Math.abs(part.labelled / part.rows - share) <= SMALLEST_DIFFERENCE * share,
  );
  return { chi_squared: chiSquared, freedom, fair: isChance || isSmall };
}
