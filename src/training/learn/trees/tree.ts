/**
 * How a node splits rows: values up to a cut go left and larger ones right, or levels in a set go left and all others
 * right. Missing values go where they went in training, or with the majority of rows.
 */
export interface NodeSplit {
  feature: number;
  /** The last bin that goes left; 0 for levels. */
  bin: number;
  /** The bins of a categorical feature that go left. */
  levels: readonly number[] | undefined;
  missingLeft: boolean;
}

/** A leaf has a value; any other node a split and two children. */
export type TreeNode = { value: number } | { split: NodeSplit; left: TreeNode; right: TreeNode };

/** A tree over bins. */
export interface GrownTree {
  root: TreeNode;
  leaves: number;
}

/** Adds a tree's values to the scores of rows, at `scores[row * stride + index]`. */
export function addTreeScores(
  { root }: GrownTree,
  bins: readonly Uint8Array[],
  rows: Int32Array,
  { scores, stride, index }: { scores: Float64Array; stride: number; index: number },
): void {
  const order = rows.slice();
  const spare = new Int32Array(rows.length);
  const walk = (node: TreeNode, from: number, to: number): void => {
    if (from === to) return;
    if ('split' in node) {
      const own = bins[node.split.feature] as Uint8Array;
      const middle = partition(order, from, to, own, goesLeft(node.split), spare);
      walk(node.left, from, middle);
      walk(node.right, middle, to);
      return;
    }
    for (let i = from; i < to; i++) {
      const at = (order[i] as number) * stride + index;
      scores[at] = (scores[at] as number) + node.value;
    }
  };
  walk(root, 0, rows.length);
}

/** By bin, 1 if it goes left. */
export function goesLeft({ bin, levels, missingLeft }: NodeSplit): Uint8Array {
  const left = new Uint8Array(256);
  if (levels === undefined) left.fill(1, 1, bin + 1);
  else for (const level of levels) left[level] = 1;
  left[0] = missingLeft ? 1 : 0;
  return left;
}

/** Stable partition: moves rows that go left before the others. @returns the offset of the others */
export function partition(
  order: Int32Array,
  from: number,
  to: number,
  bins: Uint8Array,
  left: Uint8Array,
  spare: Int32Array,
): number {
  let next = from;
  let others = 0;
  for (let i = from; i < to; i++) {
    const row = order[i] as number;
    if (left[bins[row] as number] === 1) order[next++] = row;
    else spare[others++] = row;
  }
  order.set(spare.subarray(0, others), next);
  return next;
}

export interface TreeSettings {
  /** The most leaves of a tree. */
  leaves: number;
  leafRows: number;
  /** L2 penalty on leaf values. */
  l2: number;
}

/** Sums over some rows. */
export interface Sums {
  gradient: number;
  hessian: number;
  count: number;
}

export interface FoundSplit {
  split: NodeSplit;
  /** The reduction of the loss (second order; twice equation 7 of Chen and Guestrin 2016). */
  gain: number;
  left: Sums;
  right: Sums;
}

/** Avoids division by zero hessians. */
export const TINY = 1e-12;
