// Trees walked down by bins, tree by tree over a block of rows (src/models/model/trees/node-table.ts, which describes the arrays;
// all indexes are within them by construction). Four rows are walked at once, because each step waits for the one before.

/** In bytes, and as a shift: the bins of a feature's rows, a node, and a tree. */
const FEATURE_BITS = 9;
const NODE_BYTES = 16;
const NODE_BITS = 4;
const TREE_BYTES = 12;

/**
 * Adds the leaves where rows end to their scores, `step` bytes for each row.
 *
 * @param leaves by node, doubles
 */
export function walkTrees(
  trees: usize,
  count: i32,
  nodes: usize,
  leaves: usize,
  sets: usize,
  bins: usize,
  rows: i32,
  scores: usize,
  step: i32,
): void {
  walk<f64>(trees, count, nodes, leaves, sets, bins, rows, scores, step);
}

/** As `walkTrees`, with leaves and sums in single precision. */
export function walkSingleTrees(
  trees: usize,
  count: i32,
  nodes: usize,
  leaves: usize,
  sets: usize,
  bins: usize,
  rows: i32,
  scores: usize,
  step: i32,
): void {
  walk<f32>(trees, count, nodes, leaves, sets, bins, rows, scores, step);
}

function walk<T>(
  trees: usize,
  count: i32,
  nodes: usize,
  leaves: usize,
  sets: usize,
  bins: usize,
  rows: i32,
  scores: usize,
  step: i32,
): void {
  const end = trees + count * TREE_BYTES;
  for (; trees < end; trees += TREE_BYTES) {
    const root = nodes + load<u32>(trees);
    const own = scores + load<u32>(trees, 4);
    if (load<u32>(trees, 8) === 0) walkNumbers<T>(root, nodes, leaves, bins, rows, own, step);
    else walkAll<T>(root, nodes, leaves, sets, bins, rows, own, step);
  }
}

/** A tree that only compares numbers. Rows after the last one are walked too, but not added. */
function walkNumbers<T>(
  root: usize,
  nodes: usize,
  leaves: usize,
  bins: usize,
  rows: i32,
  scores: usize,
  step: i32,
): void {
  for (let row = 0; row < rows; row += 4, bins += 8) {
    let a = root;
    let b = root;
    let c = root;
    let d = root;
    while (true) {
      const a1 = next(a, nodes, bins);
      const b1 = next(b, nodes, bins + 2);
      const c1 = next(c, nodes, bins + 4);
      const d1 = next(d, nodes, bins + 6);
      const moved = (a ^ a1) | (b ^ b1) | (c ^ c1) | (d ^ d1);
      a = a1;
      b = b1;
      c = c1;
      d = d1;
      if (moved === 0) break;
    }
    scores = addFour<T>(leaves, nodes, a, b, c, d, rows - row, scores, step);
  }
}

/** A tree that also asks whether a level is in a set. */
function walkAll<T>(
  root: usize,
  nodes: usize,
  leaves: usize,
  sets: usize,
  bins: usize,
  rows: i32,
  scores: usize,
  step: i32,
): void {
  for (let row = 0; row < rows; row += 4, bins += 8) {
    let a = root;
    let b = root;
    let c = root;
    let d = root;
    while (true) {
      const a1 = nextOfAny(a, nodes, sets, bins);
      const b1 = nextOfAny(b, nodes, sets, bins + 2);
      const c1 = nextOfAny(c, nodes, sets, bins + 4);
      const d1 = nextOfAny(d, nodes, sets, bins + 6);
      const moved = (a ^ a1) | (b ^ b1) | (c ^ c1) | (d ^ d1);
      a = a1;
      b = b1;
      c = c1;
      d = d1;
      if (moved === 0) break;
    }
    scores = addFour<T>(leaves, nodes, a, b, c, d, rows - row, scores, step);
  }
}

/** The next node of a row; that of a leaf is the leaf itself. */
function next(node: usize, nodes: usize, bins: usize): usize {
  const right = load<u32>(node, 4);
  const bin = <u32>load<u16>(bins + ((<usize>load<u16>(node)) << FEATURE_BITS));
  const isLeft = ((bin + (right & 1)) & 0xffff) < <u32>load<u16>(node, 2);
  return select<usize>(node + NODE_BYTES, nodes + (right & ~1), isLeft);
}

function nextOfAny(node: usize, nodes: usize, sets: usize, bins: usize): usize {
  const right = load<u32>(node, 4);
  const bin = <u32>load<u16>(bins + ((<usize>load<u16>(node)) << FEATURE_BITS));
  const isBelow = ((bin + (right & 1)) & 0xffff) < <u32>load<u16>(node, 2);
  const set = sets + load<u32>(node, 8);
  const isIn = (load<u32>(set + ((bin >> 5) << 2)) >> (bin & 31)) & 1;
  return select<usize>(node + NODE_BYTES, nodes + (right & ~1), <u32>isBelow | isIn);
}

function addFour<T>(
  leaves: usize,
  nodes: usize,
  a: usize,
  b: usize,
  c: usize,
  d: usize,
  left: i32,
  scores: usize,
  step: i32,
): usize {
  add<T>(leaves, a - nodes, scores);
  if (left > 1) add<T>(leaves, b - nodes, scores + step);
  if (left > 2) add<T>(leaves, c - nodes, scores + 2 * step);
  if (left > 3) add<T>(leaves, d - nodes, scores + 3 * step);
  return scores + 4 * step;
}

function add<T>(leaves: usize, node: usize, score: usize): void {
  const leaf = load<T>(leaves + ((node >> NODE_BITS) << alignof<T>()));
  store<f64>(score, <f64>(<T>load<f64>(score) + leaf));
}
