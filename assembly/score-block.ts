// The sums of trees over blocks of rows (src/models/model/trees/kernel-scores.ts). The arrays are those of leaf-masks.ts; all
// indexes are within them by construction.

/** The masks of the 32 words of a block take 64 bytes. */
const MASKS_BITS = 6;
/** The scores of a word's 16 leaves, and 0. */
const WORD_SCORES = 17;
/** In bytes: where a feature's bins are, and the masks that each bin has. */
const FEATURE_BYTES = 8;

/**
 * Writes the bins of a feature's numbers, `rows` of them in steps of `step` bytes: how many cuts are below each. NaN is missing,
 * and so is a number whose size is at most `zero`.
 *
 * @param others where the same bins are written, but 0 for missing numbers; 0 for nowhere
 */
export function binNumbers(
  values: usize,
  step: i32,
  rows: i32,
  cuts: usize,
  count: i32,
  zero: f64,
  missing: i32,
  bins: usize,
  others: usize,
): void {
  for (let row = 0; row < rows; row++, values += step, bins += 2) {
    const value = load<f64>(values);
    const isMissing = isNaN(value) || abs<f64>(value) <= zero;
    const bin = isMissing ? 0 : binOf(cuts, count, value);
    store<u16>(bins, isMissing ? missing : bin);
    if (others === 0) continue;
    store<u16>(others, bin);
    others += 2;
  }
}

/** A binary search without branches, which no processor could predict. */
function binOf(cuts: usize, cutCount: i32, value: f64): i32 {
  let below = 0;
  let count = cutCount;
  while (count > 0) {
    const half = (count + 1) >> 1;
    below += -(<i32>(value > load<f64>(cuts + ((below + half - 1) << 3)))) & half;
    count -= half;
  }
  return below;
}

/** Finds the bins of levels, which are their own bins; those that do not exist, and NaN, are missing. */
export function binLevels(values: usize, step: i32, rows: i32, levels: i32, missing: i32, bins: usize): void {
  for (let row = 0; row < rows; row++, values += step, bins += 2) {
    const value = load<f64>(values);
    store<u16>(bins, value >= 0 && value < <f64>levels ? <i32>value : missing);
  }
}

/**
 * Adds the leaves of a block's trees to the scores of rows, in steps of `step` bytes: the masks of a row's bins leave one bit
 * of each tree, that of the leaf where the row ends. Two rows are scored at once.
 *
 * @param words 128 bytes
 * @param isSingle whether leaves and sums are in single precision
 */
export function addLeaves(
  features: usize,
  count: i32,
  masks: usize,
  leaves: usize,
  words: usize,
  rows: i32,
  scores: usize,
  step: i32,
  isSingle: bool,
): void {
  if (isSingle) addMasked<f32>(features, count, masks, leaves, words, rows, scores, step);
  else addMasked<f64>(features, count, masks, leaves, words, rows, scores, step);
}

function addMasked<T>(
  features: usize,
  count: i32,
  masks: usize,
  leaves: usize,
  words: usize,
  rows: i32,
  scores: usize,
  step: i32,
): void {
  const end = features + count * FEATURE_BYTES;
  for (let row = 0; row < rows; row += 2, scores += 2 * step) {
    let a0 = i32x4.splat(-1);
    let a1 = a0;
    let a2 = a0;
    let a3 = a0;
    let b0 = a0;
    let b1 = a0;
    let b2 = a0;
    let b3 = a0;
    for (let feature = features; feature < end; feature += FEATURE_BYTES) {
      const bins = load<usize>(feature) + (row << 1);
      const cells = load<usize>(feature, 4);
      const a = masks + ((<usize>load<u16>(cells + ((<usize>load<u16>(bins)) << 1))) << MASKS_BITS);
      // If the number of rows is odd, the bin is one of an earlier block.
      const b = masks + ((<usize>load<u16>(cells + ((<usize>load<u16>(bins, 2)) << 1))) << MASKS_BITS);
      a0 = v128.and(a0, v128.load(a));
      a1 = v128.and(a1, v128.load(a, 16));
      a2 = v128.and(a2, v128.load(a, 32));
      a3 = v128.and(a3, v128.load(a, 48));
      b0 = v128.and(b0, v128.load(b));
      b1 = v128.and(b1, v128.load(b, 16));
      b2 = v128.and(b2, v128.load(b, 32));
      b3 = v128.and(b3, v128.load(b, 48));
    }
    v128.store(words, a0);
    v128.store(words, a1, 16);
    v128.store(words, a2, 32);
    v128.store(words, a3, 48);
    v128.store(words, b0, 64);
    v128.store(words, b1, 80);
    v128.store(words, b2, 96);
    v128.store(words, b3, 112);
    addWords<T>(words, leaves, scores);
    if (row + 1 < rows) addWords<T>(words + 64, leaves, scores + step);
  }
}

/**
 * Adds the leaves that 32 words have as their lowest bits, in their order; a word without any has the last one, which is 0 and
 * changes no sum.
 */
function addWords<T>(words: usize, leaves: usize, score: usize): void {
  let sum = <T>load<f64>(score);
  const end = words + 64;
  for (; words < end; words += 8, leaves += 4 * WORD_SCORES * sizeof<T>()) {
    sum += load<T>(leaves + leafOf<T>(words));
    sum += load<T>(leaves + leafOf<T>(words + 2), WORD_SCORES * sizeof<T>());
    sum += load<T>(leaves + leafOf<T>(words + 4), 2 * WORD_SCORES * sizeof<T>());
    sum += load<T>(leaves + leafOf<T>(words + 6), 3 * WORD_SCORES * sizeof<T>());
  }
  store<f64>(score, <f64>sum);
}

function leafOf<T>(word: usize): usize {
  return (<usize>ctz<i32>(<i32>load<u16>(word) | 0x10000)) << alignof<T>();
}
