/**
 * The population stability index of two distributions over the same bins: the sum of (now - before) * ln(now / before) of
 * the bins' shares. See Siddiqi, Credit Risk Scorecards (2006), and Yurdakul and Naranjo, Statistical properties of the
 * population stability index, Journal of Risk Model Validation 14 (2020).
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
 * The index that two samples of the same data exceed in fewer than one of 10,000 comparisons: times the number of rows, it is
 * distributed as chi-squared (Yurdakul and Naranjo, 2020), whose quantile Wilson and Hilferty approximate (The
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
