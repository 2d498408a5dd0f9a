import * as z from 'zod';
import { wilson, Z_95 } from '../../base/wilson.ts';

/** A figure with its 95% confidence interval. */
export const estimateShape = z.object({
  /** Null if it is not defined for these rows. */
  value: z.number().nullable(),
  /** Null if the interval is not known. */
  low: z.number().nullable(),
  high: z.number().nullable(),
  /** Why it is not defined. */
  reason: z.string().exactOptional(),
});
export type Estimate = z.infer<typeof estimateShape>;

export const undefinedFigure = (reason: string): Estimate => ({ value: null, low: null, high: null, reason });

/** A figure whose interval is not known, or has no standard form. */
export const withoutInterval = (value: number): Estimate => ({
  value: rounded(value),
  low: null,
  high: null,
});

/** @param standardError undefined if there are too few rows for one */
export function estimate(
  value: number,
  standardError: number | undefined,
  [least, most]: readonly [least: number, most: number] = [-Infinity, Infinity],
): Estimate {
  if (standardError === undefined) return withoutInterval(value);
  return {
    value: rounded(value),
    low: rounded(Math.max(least, value - Z_95 * standardError)),
    high: rounded(Math.min(most, value + Z_95 * standardError)),
  };
}

/** A share of rows, with Wilson's interval. */
export function shareOf(rows: number, all: number, none: string): Estimate {
  if (all === 0) return undefinedFigure(none);
  const { low, high } = wilson(rows / all, all);
  return { value: rounded(rows / all), low: rounded(low), high: rounded(high) };
}

/**
 * The difference of two independent figures, with an interval that is made of theirs (method of variance estimates
 * recovery: Zou and Donner, Construction of confidence limits about effect measures, Statistics in Medicine 27, 2008);
 * of shares with Wilson's intervals, it is Newcombe's.
 */
export function difference(now: Estimate, before: Estimate): Estimate {
  if (now.value === null || before.value === null)
    return undefinedFigure('one of the two evaluations does not have it');
  const value = now.value - before.value;
  if (now.low === null || now.high === null || before.low === null || before.high === null)
    return withoutInterval(value);
  return {
    value: rounded(value),
    low: rounded(value - Math.hypot(now.value - now.low, before.high - before.value)),
    high: rounded(value + Math.hypot(now.high - now.value, before.value - before.low)),
  };
}

/** Ten significant digits: sums in another order differ only in later ones. */
export const rounded = (value: number): number => Number(value.toPrecision(10));

/** Mean and variance of numbers, one by one (Welford) or joined (Chan, Golub and LeVeque, 1979). */
export class Moments {
  count = 0;
  mean = 0;
  /** The sum of squared deviations from the mean. */
  squares = 0;

  add(value: number): void {
    this.count++;
    const change = value - this.mean;
    this.mean += change / this.count;
    this.squares += change * (value - this.mean);
  }

  merge({ count, mean, squares }: Moments): void {
    if (count === 0) return;
    const all = this.count + count;
    const change = mean - this.mean;
    this.squares += squares + (change ** 2 * this.count * count) / all;
    this.mean += (change * count) / all;
    this.count = all;
  }

  /** The standard error of the mean; undefined of fewer than two numbers. */
  get standardError(): number | undefined {
    return this.count < 2 ? undefined : Math.sqrt(this.squares / (this.count - 1) / this.count);
  }
}
