import type { Value } from '../../base/contract/schemas.ts';

/**
 * How values are converted for the model. Training and serving share these rules, so that a value means the same in
 * both; numbers and dates have their own rules in `numbers.ts` and `dates.ts`.
 */

/** A number without separators or currency symbols; "Infinity", "0x10" and "1_000" are not numbers. */
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Parses a number, ignoring surrounding spaces; null if it is not a number or beyond float32. */
export function numberOf(text: string): number | null {
  const value = plainNumber(text);
  return value === null ? null : finite(value);
}

/** Parses a number, ignoring surrounding spaces; infinite beyond the doubles, and null if it is not a number. */
export function plainNumber(text: string): number | null {
  const trimmed = text.trim();
  return number.test(trimmed) ? Number(trimmed) : null;
}

/** Whether a text is empty or only spaces, which is a missing value in every column. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** A value of a categorical column, verbatim; null if it is missing. */
export function asCategory(value: Value): string | null {
  if (typeof value === 'string') return isBlank(value) ? null : value;
  return value === null ? null : String(value);
}

/** The value, or null if it is not finite as a float32, in which the engine computes. */
export function finite(value: number): number | null {
  return Number.isFinite(Math.fround(value)) ? value : null;
}
