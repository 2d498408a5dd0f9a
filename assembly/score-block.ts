// The sums of trees over blocks of rows (src/models/model/trees/table-scores.ts). The arrays are those of tree-tables.ts;
// all indexes are within them by construction.

/** As `1 << NODE_BITS` numbers in binned-trees.ts. */
const NODE_BYTES_BITS = 4;

/** Writes the bins of a feature's numbers, `rows` of them in steps of `step` bytes: how many cuts are below each. */
export function binNumbers(
  values: usize,
  step: i32,
  rows: i32,
  cuts: usize,
  count: i32,
  missing: i32,
  bins: usize,
): void {
  for (let row = 0; row < rows; row++, values += step, bins += 2) {
    const value = load<f64>(values);
    store<u16>(bins, isNaN(value) ? missing : binOf(cuts, count, value));
  }
}

function binOf(cuts: usize, cutCount: i32, value: f64): i32 {
  let from = 0;
  let count = cutCount;
  while (count > 0) {
    const half = count >> 1;
    if (value > load<f64>(cuts + ((from + half) << 3))) {
      from += half + 1;
      count -= half + 1;
    } else count = half;
  }
  return from;
}

/** Finds the bins of levels, which are their own bins; those that do not exist, and NaN, are missing. */
export function binLevels(values: usize, step: i32, rows: i32, levels: i32, missing: i32, bins: usize): void {
  for (let row = 0; row < rows; row++, values += step, bins += 2) {
    const value = load<f64>(values);
    store<u16>(bins, value >= 0 && value < <f64>levels ? <i32>value : missing);
  }
}

/** What a feature adds to the index of an entry, for the row whose bin is `at` bytes after the first. */
function offsetAt(bins: usize, offsets: usize, at: usize): i32 {
  return load<u16>(offsets + ((<usize>load<u16>(bins + at)) << 1));
}

/**
 * Writes the part of the entries' indexes that four features of a table make.
 *
 * @param features where the bins of each are, and what these add to the index
 */
export function setIndexes(features: usize, rows: i32, indexes: usize): void {
  const binsA = load<usize>(features);
  const ofA = load<usize>(features, 4);
  const binsB = load<usize>(features, 8);
  const ofB = load<usize>(features, 12);
  const binsC = load<usize>(features, 16);
  const ofC = load<usize>(features, 20);
  const binsD = load<usize>(features, 24);
  const ofD = load<usize>(features, 28);
  const end = (<usize>rows) << 1;
  for (let at: usize = 0; at < end; at += 2) {
    const index =
      offsetAt(binsA, ofA, at) +
      offsetAt(binsB, ofB, at) +
      offsetAt(binsC, ofC, at) +
      offsetAt(binsD, ofD, at);
    store<u16>(indexes + at, index);
  }
}

/** Adds the entries at `indexes`, plus what four more features make, to the scores of rows, in steps of `step` bytes. */
export function addEntries(
  features: usize,
  rows: i32,
  indexes: usize,
  entries: usize,
  scores: usize,
  step: i32,
): void {
  const binsA = load<usize>(features);
  const ofA = load<usize>(features, 4);
  const binsB = load<usize>(features, 8);
  const ofB = load<usize>(features, 12);
  const binsC = load<usize>(features, 16);
  const ofC = load<usize>(features, 20);
  const binsD = load<usize>(features, 24);
  const ofD = load<usize>(features, 28);
  const end = (<usize>rows) << 1;
  for (let at: usize = 0; at < end; at += 2, scores += step) {
    const entry =
      <i32>load<u16>(indexes + at) +
      offsetAt(binsA, ofA, at) +
      offsetAt(binsB, ofB, at) +
      offsetAt(binsC, ofC, at) +
      offsetAt(binsD, ofD, at);
    store<f64>(scores, load<f64>(scores) + load<f64>(entries + ((<usize>entry) << 3)));
  }
}

/** A node of `BinnedTrees`: where the bins of its feature and the bits of its condition are, and its left child. */
@unmanaged
class Node {
  feature: i32;
  condition: i32;
  left: i32;
  unused: i32;
}

/**
 * Adds the scores of a tree to those of rows, in steps of `step` bytes.
 *
 * A walk down a tree has no branches, which no processor could predict, and four rows walk at once: each step waits for
 * memory, and the processor does those of the other rows meanwhile (test/bench/RESULTS.md).
 */
export function addTree(
  nodes: usize,
  bits: usize,
  leaves: usize,
  root: i32,
  depth: i32,
  bins: usize,
  scores: usize,
  step: i32,
  rows: i32,
): void {
  let row = 0;
  for (; row + 4 <= rows; row += 4) {
    let a = root;
    let b = root;
    let c = root;
    let d = root;
    for (let steps = 0; steps < depth; steps++) {
      a = child(nodes, bits, bins, a, row);
      b = child(nodes, bits, bins, b, row + 1);
      c = child(nodes, bits, bins, c, row + 2);
      d = child(nodes, bits, bins, d, row + 3);
    }
    add(scores, leaves, a);
    add(scores + step, leaves, b);
    add(scores + 2 * step, leaves, c);
    add(scores + 3 * step, leaves, d);
    scores += 4 * step;
  }
  for (; row < rows; row++, scores += step) {
    let node = root;
    for (let steps = 0; steps < depth; steps++) node = child(nodes, bits, bins, node, row);
    add(scores, leaves, node);
  }
}

/** The child of a node to which a row goes. */
function child(nodes: usize, bits: usize, bins: usize, index: i32, row: i32): i32 {
  const node = changetype<Node>(nodes + (index << NODE_BYTES_BITS));
  const bin = <i32>load<u16>(bins + ((node.feature + row) << 1));
  const word = load<i32>(bits + ((node.condition + (bin >>> 5)) << 2));
  // Only the five lowest bits of the bin count in a shift.
  return node.left + ((word >>> bin) & 1);
}

function add(scores: usize, leaves: usize, leaf: i32): void {
  store<f64>(scores, load<f64>(scores) + load<f64>(leaves + (leaf << 3)));
}
