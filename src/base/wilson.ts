/** The 97.5% quantile of the normal distribution: 95% lie within this many standard deviations of the mean. */
export const Z_95 = 1.959963984540054;

/**
 * The 95% score interval of a share (Wilson, Probable inference, the law of succession, and statistical inference,
 * JASA 22, 1927), which Brown, Cai and DasGupta recommend for small samples (Interval estimation for a binomial
 * proportion, Statistical Science 16, 2001).
 */
export function wilson(share: number, rows: number): { low: number; high: number } {
  const spread = Z_95 ** 2 / rows;
  const center = (share + spread / 2) / (1 + spread);
  const half = (Z_95 / (1 + spread)) * Math.sqrt((share * (1 - share)) / rows + spread / (4 * rows));
  return { low: share === 0 ? 0 : center - half, high: share === 1 ? 1 : center + half };
}
