// Trees walked down by bins, tree by tree over a block of rows (src/models/model/trees/node-table.ts, which describes the arrays;
// all indexes are within them by construction).
//
// Eight rows are walked at once, because each step waits for the one before, and some steps without a look at whether rows have
// ended, which no processor could predict; those that have are then left out.

/** In bytes, and as shifts: a node, and a tree. */
const NODE_BITS = 4;
const TREE_BYTES = 16;
const LANES = 8;
/** At most so many rows are walked down together. */
const ROWS = 256;
/** A leaf has this bit set in the word in which other nodes have the last bin that goes left. */
const LEAF_BIT = 30;
/** How many steps are walked after a tree's first ones. */
const MORE_STEPS = 2;

/**
 * Adds the leaves where rows end to their scores, `step` bytes for each row.
 *
 * @param nodes of which the first is a leaf
 * @param leaves by node
 * @param open places of 16 bits for as many rows and eight more
 * @param ends of 32 bits for as many rows and one more
 * @param isSingle whether leaves and sums are in single precision
 */
export function walkTrees(
  trees: usize,
  count: i32,
  nodes: usize,
  leaves: usize,
  sets: usize,
  bins: usize,
  open: usize,
  ends: usize,
  rows: i32,
  scores: usize,
  step: i32,
  isSingle: bool,
): void {
  const end = trees + count * TREE_BYTES;
  store<u32>(ends + (ROWS << 2), nodes);
  for (; trees < end; trees += TREE_BYTES) {
    const root = nodes + load<u32>(trees);
    const steps = load<i32>(trees, 12);
    if (load<u32>(trees, 8) !== 0) walk<u32>(root, sets, bins, open, ends, rows, steps);
    else walk<void>(root, sets, bins, open, ends, rows, steps);
    const own = scores + load<u32>(trees, 4);
    if (isSingle) addEnds<f32>(ends, rows, nodes, leaves, own, step);
    else addEnds<f64>(ends, rows, nodes, leaves, own, step);
  }
}

/** @typeParam Sets void if the tree tests none */
function walk<Sets>(
  root: usize,
  sets: usize,
  bins: usize,
  open: usize,
  ends: usize,
  rows: i32,
  steps: i32,
): void {
  let left = open;
  for (let row = 0; row < rows; row += LANES) {
    const own = bins + ((<usize>row) << 1);
    let a = root;
    let b = root;
    let c = root;
    let d = root;
    let e = root;
    let f = root;
    let g = root;
    let h = root;
    for (let i = steps; i > 0; i--) {
      a = next<Sets>(a, sets, load<u16>(own + load<u32>(a, 4)));
      b = next<Sets>(b, sets, load<u16>(own + load<u32>(b, 4), 2));
      c = next<Sets>(c, sets, load<u16>(own + load<u32>(c, 4), 4));
      d = next<Sets>(d, sets, load<u16>(own + load<u32>(d, 4), 6));
      e = next<Sets>(e, sets, load<u16>(own + load<u32>(e, 4), 8));
      f = next<Sets>(f, sets, load<u16>(own + load<u32>(f, 4), 10));
      g = next<Sets>(g, sets, load<u16>(own + load<u32>(g, 4), 12));
      h = next<Sets>(h, sets, load<u16>(own + load<u32>(h, 4), 14));
    }
    left = keep(left, ends, row << 1, a);
    left = keep(left, ends, (row + 1) << 1, b);
    left = keep(left, ends, (row + 2) << 1, c);
    left = keep(left, ends, (row + 3) << 1, d);
    left = keep(left, ends, (row + 4) << 1, e);
    left = keep(left, ends, (row + 5) << 1, f);
    left = keep(left, ends, (row + 6) << 1, g);
    left = keep(left, ends, (row + 7) << 1, h);
  }
  while (left > open) {
    const last = left;
    v128.store(last, i16x8.splat(<i16>(ROWS << 1)));
    left = open;
    for (let at = open; at < last; at += 2 * LANES) {
      const a0 = <usize>load<u16>(at);
      const b0 = <usize>load<u16>(at, 2);
      const c0 = <usize>load<u16>(at, 4);
      const d0 = <usize>load<u16>(at, 6);
      const e0 = <usize>load<u16>(at, 8);
      const f0 = <usize>load<u16>(at, 10);
      const g0 = <usize>load<u16>(at, 12);
      const h0 = <usize>load<u16>(at, 14);
      let a = load<u32>(ends + (a0 << 1));
      let b = load<u32>(ends + (b0 << 1));
      let c = load<u32>(ends + (c0 << 1));
      let d = load<u32>(ends + (d0 << 1));
      let e = load<u32>(ends + (e0 << 1));
      let f = load<u32>(ends + (f0 << 1));
      let g = load<u32>(ends + (g0 << 1));
      let h = load<u32>(ends + (h0 << 1));
      for (let i = 0; i < MORE_STEPS; i++) {
        a = next<Sets>(a, sets, load<u16>(bins + a0 + load<u32>(a, 4)));
        b = next<Sets>(b, sets, load<u16>(bins + b0 + load<u32>(b, 4)));
        c = next<Sets>(c, sets, load<u16>(bins + c0 + load<u32>(c, 4)));
        d = next<Sets>(d, sets, load<u16>(bins + d0 + load<u32>(d, 4)));
        e = next<Sets>(e, sets, load<u16>(bins + e0 + load<u32>(e, 4)));
        f = next<Sets>(f, sets, load<u16>(bins + f0 + load<u32>(f, 4)));
        g = next<Sets>(g, sets, load<u16>(bins + g0 + load<u32>(g, 4)));
        h = next<Sets>(h, sets, load<u16>(bins + h0 + load<u32>(h, 4)));
      }
      left = keep(left, ends, a0, a);
      left = keep(left, ends, b0, b);
      left = keep(left, ends, c0, c);
      left = keep(left, ends, d0, d);
      left = keep(left, ends, e0, e);
      left = keep(left, ends, f0, f);
      left = keep(left, ends, g0, g);
      left = keep(left, ends, h0, h);
    }
  }
}

/** The next node of a row; that of a leaf is the leaf itself. */
function next<Sets>(node: usize, sets: usize, bin: i32): usize {
  let isRight = <u32>(load<i32>(node) - bin) >> 31;
  if (!isVoid<Sets>()) isRight &= ~(load<u32>(sets + load<u32>(node, 12) + ((bin >> 5) << 2)) >> (bin & 31));
  return load<u32>(node, 8) + (isRight << NODE_BITS);
}

/** Keeps where a row is, and the row among those that have not ended, unless it has. */
function keep(left: usize, ends: usize, row: usize, node: usize): usize {
  store<u32>(ends + (row << 1), node);
  store<u16>(left, row);
  return left + ((~load<u32>(node) >> (LEAF_BIT - 1)) & 2);
}

function addEnds<T>(ends: usize, rows: i32, nodes: usize, leaves: usize, scores: usize, step: i32): void {
  for (const end = ends + ((<usize>rows) << 2); ends < end; ends += 4, scores += step) {
    const leaf = load<T>(leaves + ((load<u32>(ends) - nodes) >> (NODE_BITS - alignof<T>())));
    store<f64>(scores, <f64>(<T>load<f64>(scores) + leaf));
  }
}
