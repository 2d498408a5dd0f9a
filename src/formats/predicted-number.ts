import type { ChosenProbabilities } from './appended.ts';

/**
 * A predicted number as it is appended: in full, or with this many digits after the point. One that is rounded to zero has
 * no sign, so that the text is that of the number which is read back. Beyond 1e21 there are no digits after the point.
 */
export function predictedNumber(value: number, decimals: number | undefined): string {
  if (decimals === undefined) return String(value);
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? (0).toFixed(decimals) : text;
}

/** A number that was appended with this many digits, as the output is read. */
export function readNumber(
  value: number,
  { decimals, areNumbers = false }: Pick<ChosenProbabilities, 'decimals' | 'areNumbers'>,
): string {
  const text = predictedNumber(value, decimals);
  return areNumbers ? String(Number(text)) : text;
}
