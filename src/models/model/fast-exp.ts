import { powersOfTwo } from './exact-exp.ts';

/** Parts of a power of two between two and the next one. */
const PARTS = 2048;
const PER_UNIT = PARTS / Math.LN2;
const UNIT = 1 / PER_UNIT;
/** A number that has no place for fractions: adding it rounds to a whole number. */
const WHOLE = 2 ** 52 + 2 ** 51;
let powers: readonly number[] | undefined;

/**
 * The exponential as CatBoost computes it on processors with SSE2 or AVX2, bit for bit, with some units in the last place
 * of error: a power of two from a table, times a polynomial (`fmath::expd`, Mitsunari 2009). On other processors,
 * CatBoost has another one, which differs from it by up to 1e-11 of the value.
 */
export function fastExp(x: number): number {
  if (x <= -708.39641853226408) return 0;
  if (x >= 709.78271289338397) return Number.POSITIVE_INFINITY;
  powers ??= powersOfTwo(PARTS).map(([high]) => high);
  const steps = x * PER_UNIT + WHOLE - WHOLE;
  const rest = steps * UNIT - x;
  const polynomial = (3.0000000027955394 - rest) * (rest * rest) * 0.16666666685227835 - rest + 1;
  const part = ((steps % PARTS) + PARTS) % PARTS;
  return polynomial * ((powers[part] as number) * 2 ** ((steps - part) / PARTS)); // there are as many
}
