import { counted, countOf } from '../../../base/number-text.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { distributionOf } from '../../learn/numbers/distribution.ts';

/** A few negative numbers among others may be returns or corrections. */
const FEW_NEGATIVES = 0.1;
/** Predictions are single-precision numbers: of neighbours, the difference is 0.0000001 of them. */
const FEW_DIGITS = 1e-6;

/** Above it, single precision has no decimals. */
const MOST_WITH_DECIMALS = 2 ** 24;
/** With fewer, one outlier decides what the errors are. */
const FEW_ROWS = 30;

/** Says how few the testing rows of numbers are, of which no figure has an interval. */
export const notesOfFewRows = (testing: number): string[] =>
  testing >= FEW_ROWS
    ? []
    : [`R² and errors are of only ${countOf(testing, 'testing row')}, and may be far off.`];

/**
 * What is noticeable about the numbers to predict, if any are, one sentence each.
 *
 * @param testing how many are for testing
 */
export function notesOfNumbers(
  numbers: readonly number[] | undefined,
  predict: string,
  testing: number,
): string[] {
  if (numbers === undefined) return [];
  const name = sanitize(predict);
  const cut = numbers.filter(number => Math.abs(number) > MOST_WITH_DECIMALS && !Number.isInteger(number));
  const { mean, deviation, negatives, outliers } = distributionOf(Float64Array.from(numbers));
  const { rows, low, high } = outliers;
  const short = (limit: number) => Number(limit.toPrecision(3));
  return [
    ...notesOfFewRows(testing),
    ...(cut.length > 0
      ? [
          `"${name}" is beyond ±${counted(MOST_WITH_DECIMALS)} and has decimals in ${countOf(cut.length, 'row')}, but predictions have seven digits: they are not exact to the cent.`,
        ]
      : []),
    ...(deviation < FEW_DIGITS * Math.abs(mean)
      ? [
          `"${name}" varies only by about ${short(deviation)} around ${mean}, but predictions have seven digits. Predict the difference from a fixed number.`,
        ]
      : []),
    ...(negatives > 0 && negatives < FEW_NEGATIVES * numbers.length
      ? [
          `"${name}" is negative in ${counted(negatives)} of ${countOf(numbers.length, 'row')}. They are learned as they are; leave them out if they are corrections of others.`,
        ]
      : []),
    ...(rows > 0
      ? [
          `"${name}" is far from all others in ${countOf(rows, 'row')}, below ${short(low)} or above ${short(high)}. So that they do not decide alone, models are compared by their mean absolute error; correct them if they are mistakes.`,
        ]
      : []),
  ];
}
