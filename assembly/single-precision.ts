// As src/models/model/single-precision.ts, which explains the constants.

const DEFAULT_DECIMALS = 8;
const SMALLEST = 1e-14;
const EXACT_DECIMALS = 12;
const NEAR_TIE = 1.0 / 4194304.0;

/**
 * Rounds probabilities to single precision, from `first` on, in place.
 *
 * @param powers of ten, from 10^0 to 10^22
 * @returns the first that needs another way: one that is tiny, no number, or near the middle of two decimals
 */
export function roundToSingle(probabilities: usize, first: i32, count: i32, powers: usize): i32 {
  for (let i = first; i < count; i++) {
    const at = probabilities + ((<usize>i) << 3);
    const single = <f64>(<f32>load<f64>(at));
    if (single === 0 || single === 1) store<f64>(at, single);
    else {
      if (!(single >= SMALLEST && single < 1)) return i;
      const rounded = shortest(single, powers);
      if (isNaN(rounded)) return i;
      store<f64>(at, rounded);
    }
  }
  return count;
}

function shortest(single: f64, powers: usize): f64 {
  let decimals = DEFAULT_DECIMALS;
  for (let least: f64 = 0.1; single < least; least /= 10) decimals++;
  let found = toDecimals(single, decimals, powers);
  while (<f64>(<f32>found) !== single && !isNaN(found)) found = toDecimals(single, ++decimals, powers);
  while (true) {
    const shorter = toDecimals(single, --decimals, powers);
    if (isNaN(shorter)) return shorter;
    if (<f64>(<f32>shorter) !== single) return found;
    found = shorter;
  }
}

/** NaN if it is near the middle of two decimals. */
function toDecimals(single: f64, decimals: i32, powers: usize): f64 {
  const power = load<f64>(powers + ((<usize>decimals) << 3));
  const scaled = single * power;
  const below = floor<f64>(scaled);
  const rest = scaled - below;
  if (decimals > EXACT_DECIMALS && abs<f64>(rest - 0.5) < NEAR_TIE) return NaN;
  return (rest >= 0.5 ? below + 1 : below) / power;
}
