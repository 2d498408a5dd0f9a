import type { Value } from '../../contract/schemas.ts';

/**
 * How a value becomes what the engine learns from. Training and serving share these rules, so that a value
 * means the same in both; `numbers.ts` and `dates.ts` hold those of amounts and dates.
 */

/** A number without separators or signs of currency; "Infinity", "0x10" and "1_000" are not numbers. */
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** The number in a text, spaces around it left out; null where there is none that a float32 can hold. */
export function numberOf(text: string): number | null {
  const trimmed = text.trim();
  return number.test(trimmed) ? finite(Number(trimmed)) : null;
}

/** Only spaces, or nothing: a missing value in every column, numerical or categorical. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** A value for a categorical column, verbatim; null where it is missing. */
export function asCategory(value: Value): string | null {
  if (typeof value === 'string') return isBlank(value) ? null : value;
  return value === null ? null : String(value);
}

/** The value, or null where float32, in which the engine computes, has no finite number for it. */
export function finite(value: number): number | null {
  return Number.isFinite(Math.fround(value)) ? value : null;
}
