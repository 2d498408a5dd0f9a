import type { BatchMemory } from '../../base/kernel/batch-memory.ts';

/** Decimals that nearly every float32 in [0.1, 1) needs at most. */
const DEFAULT_DECIMALS = 8;
/** Below it, nine digits need more decimals than there are exact powers of ten. */
const SMALLEST = 1e-14;
/** A float32 has 24 bits and 5^12 has 28, so that their product is exact. */
const EXACT_DECIMALS = 12;
/** More than the rounding error of a product below 10^9, 2^-24. */
const NEAR_TIE = 2 ** -22;
/**
 * Powers of ten up to 10^22 are exact, so a quotient of an exact integer and one of them is rounded once (Clinger
 * 1990).
 */
const POWERS = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/** Rounds a model's probabilities, in place; see `toSinglePrecision`. */
export function allToSinglePrecision(probabilities: Float64Array): Float64Array {
  for (let i = 0; i < probabilities.length; i++)
    probabilities[i] = toSinglePrecision(probabilities[i] as number);
  return probabilities;
}

/** Numbers that are rounded at once in the memory of a kernel. */
const BLOCK = 1024;

/** Rounds with a kernel, many times as fast before V8 has compiled it. */
export function kernelRounding(memory: BatchMemory): typeof allToSinglePrecision {
  const { kernel } = memory;
  const powersAt = memory.keep(POWERS);
  const blockAt = memory.keep(new Float64Array(BLOCK));
  return probabilities => {
    const block = new Float64Array(memory.buffer, blockAt, BLOCK);
    for (let from = 0; from < probabilities.length; from += BLOCK) {
      const part = probabilities.subarray(from, from + BLOCK);
      block.set(part);
      const round = (first: number) => kernel.roundToSingle(blockAt, first, part.length, powersAt);
      for (let i = round(0); i < part.length; i = round(i + 1))
        block[i] = toSinglePrecision(part[i] as number);
      probabilities.set(block.subarray(0, part.length), from);
    }
    return probabilities;
  };
}

/**
 * Rounds a probability to the number whose decimal text is the shortest that gives its float32: 0.9441353 instead of
 * 0.9441353380680084. Equals `Number(f.toPrecision(n))` with the smallest n for which this is the float32 f, without
 * the cost of strings.
 */
export function toSinglePrecision(probability: number): number {
  const single = Math.fround(probability);
  if (!(single >= SMALLEST && single < 1)) return fromText(single);
  let decimals = DEFAULT_DECIMALS;
  for (let least = 0.1; single < least; least /= 10) decimals++;
  let shortest = toDecimals(single, decimals);
  while (Math.fround(shortest) !== single) shortest = toDecimals(single, ++decimals);
  for (;;) {
    const shorter = toDecimals(single, --decimals);
    if (Math.fround(shorter) !== single) return shortest;
    shortest = shorter;
  }
}

/** `Number(single.toFixed(decimals))`. */
function toDecimals(single: number, decimals: number): number {
  const power = POWERS[decimals] as number; // at most 22 decimals, since `single` is at least `SMALLEST`
  const scaled = single * power;
  const rounded = Math.round(scaled);
  if (decimals > EXACT_DECIMALS && Math.abs(Math.abs(scaled - rounded) - 0.5) < NEAR_TIE)
    return Number(single.toFixed(decimals));
  return rounded / power;
}

function fromText(single: number): number {
  if (Number.isInteger(single)) return single;
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(single.toPrecision(digits));
    if (Math.fround(shorter) === single) return shorter;
  }
  return Number(single.toPrecision(9));
}
