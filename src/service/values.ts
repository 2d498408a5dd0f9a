import type { Value } from '../api/shapes.ts';

/**
 * How a value becomes what the engine learns from. Training and serving share these rules, so that a value
 * means the same in both.
 */

/** A number as people write it into a CSV; "Infinity", "0x10" and "1_000" are none. */
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

/** A value for a numerical column: anything that is not a number is missing. */
export function asNumber(value: Value): number | null {
  if (typeof value === 'number') return finite(value);
  if (typeof value === 'string') return numberOf(value);
  return value === null ? null : Number(value);
}

/** A value for a categorical column, verbatim; null where it is missing. */
export function asCategory(value: Value): string | null {
  if (typeof value === 'string') return isBlank(value) ? null : value;
  return value === null ? null : String(value);
}

/** The engine computes in float32 and refuses infinity. */
function finite(value: number): number | null {
  return Number.isFinite(Math.fround(value)) ? value : null;
}
