import type { Quality } from '../../base/contract/schemas.ts';
import { rounded } from './rounded.ts';

/** The 97.5% quantile of the normal distribution: 95% lie within this many standard deviations of the mean. */
const Z = 1.959964;

/**
 * The 95% score interval of a share (Wilson, Probable inference, the law of succession, and statistical inference,
 * JASA 22, 1927), which Brown, Cai and DasGupta recommend for small samples (Interval estimation for a binomial
 * proportion, Statistical Science 16, 2001).
 */
export function wilson(share: number, rows: number): Quality['accuracy_interval'] {
  const spread = Z ** 2 / rows;
  const center = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / rows + spread / (4 * rows));
  return {
    confidence: 0.95,
    low: rounded(Math.max(0, center - half)),
    high: rounded(Math.min(1, center + half)),
  };
}
