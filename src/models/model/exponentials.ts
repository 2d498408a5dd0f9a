/** Parts of a power of two between two and the next one. */
const PARTS = 64;
/** A number as the sum of two doubles, with about 106 bits. */
type Pair = readonly [high: number, low: number];

const SPLIT = 2 ** 27 + 1;

/** What the exact product of two doubles is more than its double (Dekker 1971). */
function productRest(a: number, b: number): number {
  const ca = SPLIT * a;
  const cb = SPLIT * b;
  const ah = ca - (ca - a);
  const bh = cb - (cb - b);
  const al = a - ah;
  const bl = b - bh;
  return al * bl - (a * b - ah * bh - al * bh - ah * bl);
}

const product = (a: number, b: number): Pair => [a * b, productRest(a, b)];

/** The exact sum of two doubles of which the first is the larger one. */
function sum(a: number, b: number): Pair {
  const high = a + b;
  return [high, b - (high - a)];
}

function times([ah, al]: Pair, [bh, bl]: Pair): Pair {
  const [high, low] = product(ah, bh);
  return sum(high, low + (ah * bl + al * bh));
}

/** The square root of a pair, by one step of Newton's method from that of a double. */
function root([high, low]: Pair): Pair {
  const near = Math.sqrt(high);
  const [square, rest] = product(near, near);
  return sum(near, (high - square - rest + low) / (2 * near));
}

/** 2^(i/parts) for each i below `parts`, a power of two itself. */
function powersOfTwo(parts: number): readonly Pair[] {
  let step: Pair = [2, 0];
  for (let left = parts; left > 1; left /= 2) step = root(step);
  const powers: Pair[] = [];
  let power: Pair = [1, 0];
  for (let i = 0; i < parts; i++) {
    powers.push(power);
    power = times(power, step);
  }
  return powers;
}

const powers = powersOfTwo(PARTS);
const highs = Float64Array.from(powers, ([high]) => high);
const lows = Float64Array.from(powers, ([, low]) => low);

/** ln 2 / PARTS as two doubles; the first has 32 bits, so that its products with whole numbers are exact. */
const STEP_HIGH = 0.01083042469326756;
const STEP_LOW = 2.9815858269852933e-12;
/** Beyond it, results may be subnormal or infinite. */
const MAX_EXPONENT = 700;

/**
 * The exponential, nearly always the double next to the true value, as those of the C libraries are: its error is below
 * 0.51 units in the last place. That of `Math.exp` in V8 is below 1, so that it differs in some percent of all cases.
 * It makes no arrays, which would be garbage for each row until V8 has optimized it.
 */
export function exactExp(x: number): number {
  if (!(Math.abs(x) < MAX_EXPONENT)) return Math.exp(x);
  const steps = Math.round(x / (STEP_HIGH + STEP_LOW));
  const high = x - steps * STEP_HIGH;
  const low = steps * STEP_LOW;
  // x = steps * ln 2 / PARTS + rest + error, |rest| < 0.0055
  const rest = high - low;
  const error = high - rest - low;
  const square = rest * rest;
  const tail = square * (1 / 2 + rest * (1 / 6 + rest * (1 / 24 + rest * (1 / 120 + rest / 720))));
  const part = ((steps % PARTS) + PARTS) % PARTS;
  const power = highs[part] as number; // there are as many
  const more = lows[part] as number;
  const main = power * rest;
  const whole = power + main;
  const wholeRest = main - (whole - power);
  const mantissa =
    whole + (wholeRest + (more + productRest(power, rest) + power * (tail + error) + more * rest));
  return mantissa * 2 ** ((steps - part) / PARTS);
}

const FAST_PARTS = 2048;
const PER_UNIT = FAST_PARTS / Math.LN2;
const UNIT = 1 / PER_UNIT;
/** A number that has no place for fractions: adding it rounds to a whole number. */
const WHOLE = 2 ** 52 + 2 ** 51;
let fastPowers: readonly number[] | undefined;

/**
 * The exponential as CatBoost computes it on processors with SSE2 or AVX2, bit for bit, with some units in the last place
 * of error: a power of two from a table, times a polynomial (`fmath::expd`, Mitsunari 2009). On other processors,
 * CatBoost has another one, which differs from it by up to 1e-11 of the value.
 */
export function fastExp(x: number): number {
  if (x <= -708.39641853226408) return 0;
  if (x >= 709.78271289338397) return Number.POSITIVE_INFINITY;
  fastPowers ??= powersOfTwo(FAST_PARTS).map(([high]) => high);
  const steps = x * PER_UNIT + WHOLE - WHOLE;
  const rest = steps * UNIT - x;
  const polynomial = (3.0000000027955394 - rest) * (rest * rest) * 0.16666666685227835 - rest + 1;
  const part = ((steps % FAST_PARTS) + FAST_PARTS) % FAST_PARTS;
  return polynomial * ((fastPowers[part] as number) * 2 ** ((steps - part) / FAST_PARTS)); // there are as many
}
