import { type BinnedTable, Histograms, hessianOf, packed } from './histograms.ts';
import { findSplit } from './split-search.ts';
import {
  type FoundSplit,
  type GrownTree,
  goesLeft,
  type NodeSplit,
  partition,
  type Sums,
  TINY,
  type TreeNode,
  type TreeSettings,
} from './tree.ts';

/** The first and second derivatives of the loss by each row's score. */
export interface Derivatives {
  gradients: Float64Array;
  /** Not negative, and of all rows together less than 2^17. */
  hessians: Float64Array;
}

interface Leaf {
  from: number;
  to: number;
  sums: Sums;
  histogram: Float64Array;
  best: FoundSplit | undefined;
  depth: number;
  /** The node in the tree: gets a split and children, or a value when the tree is finished. */
  node: { value?: number; split?: NodeSplit; left?: Leaf['node']; right?: Leaf['node'] };
}

const MAX_DEPTH = 24;

/**
 * Grows regression trees on gradients and hessians, leaf-wise (the largest gain first), from histograms
 * of bins, as in LightGBM (Ke et al. 2017). Buffers are reused from tree to tree.
 */
export class TreeGrower {
  readonly #table: BinnedTable;
  readonly #settings: TreeSettings;
  readonly #leafValue: ((rows: Int32Array) => number) | undefined;
  readonly #histograms: Histograms;
  /** The tree's rows; those of a leaf are adjacent. */
  #order = new Int32Array(0);
  #spare = new Int32Array(0);
  #gradients = new Float64Array(0);
  #weights = new Float64Array(0);

  /** @param leafValue the value of a leaf with these rows; if absent, a step of Newton's method */
  constructor(table: BinnedTable, settings: TreeSettings, leafValue?: (rows: Int32Array) => number) {
    this.#table = table;
    this.#settings = settings;
    this.#leafValue = leafValue;
    this.#histograms = new Histograms(table);
  }

  /**
   * @param rows the training rows
   * @param features the features that the tree may split on
   * @param rate the learning rate, which leaf values are multiplied by
   */
  grow(rows: Int32Array, derivatives: Derivatives, features: readonly number[], rate: number): GrownTree {
    if (this.#order.length !== rows.length) this.#resize(rows.length);
    this.#order.set(rows);
    const histogram = this.#histogram(0, rows.length, derivatives, features);
    const root = this.#leaf(0, rows.length, histogram, totalOf(derivatives, rows), features, 0);
    const leaves = [root];
    while (leaves.length < this.#settings.leaves) {
      const next = bestOf(leaves);
      if (next?.best === undefined) break;
      leaves.splice(leaves.indexOf(next), 1, ...this.#split(next, next.best, derivatives, features));
    }
    for (const { node, sums, histogram, from, to } of leaves) {
      node.value =
        this.#leafValue === undefined
          ? (-rate * sums.gradient) / (sums.hessian + this.#settings.l2 + TINY)
          : rate * this.#leafValue(this.#order.subarray(from, to));
      this.#histograms.release(histogram);
    }
    // By now every node has either a value, or a split and children.
    return { root: root.node as TreeNode, leaves: leaves.length };
  }

  #resize(rows: number): void {
    this.#order = new Int32Array(rows);
    this.#spare = new Int32Array(rows);
    this.#gradients = new Float64Array(rows);
    this.#weights = new Float64Array(rows);
  }

  #split(leaf: Leaf, found: FoundSplit, derivatives: Derivatives, features: readonly number[]): [Leaf, Leaf] {
    const bins = this.#table.bins[found.split.feature] as Uint8Array;
    const middle = partition(this.#order, leaf.from, leaf.to, bins, goesLeft(found.split), this.#spare);
    const isLeftSmaller = middle - leaf.from <= leaf.to - middle;
    // Builds only the smaller child's histogram; the other one is the parent's minus it.
    const smaller = isLeftSmaller
      ? this.#histogram(leaf.from, middle, derivatives, features)
      : this.#histogram(middle, leaf.to, derivatives, features);
    const larger = leaf.histogram;
    this.#histograms.subtract(larger, smaller, features);
    const depth = leaf.depth + 1;
    const [leftHistogram, rightHistogram] = isLeftSmaller ? [smaller, larger] : [larger, smaller];
    const left = this.#leaf(leaf.from, middle, leftHistogram, found.left, features, depth);
    const right = this.#leaf(middle, leaf.to, rightHistogram, found.right, features, depth);
    Object.assign(leaf.node, { split: found.split, left: left.node, right: right.node });
    return [left, right];
  }

  #leaf(
    from: number,
    to: number,
    histogram: Float64Array,
    sums: Sums,
    features: readonly number[],
    depth: number,
  ): Leaf {
    const { binnings } = this.#table;
    const best =
      depth >= MAX_DEPTH || to - from < 2 * this.#settings.leafRows
        ? undefined
        : findSplit(histogram, this.#histograms.offsets, binnings, features, sums, this.#settings);
    return { from, to, sums, histogram, best, depth, node: {} };
  }

  #histogram(from: number, to: number, derivatives: Derivatives, features: readonly number[]): Float64Array {
    const order = this.#order.subarray(from, to);
    const gradients = this.#gradients.subarray(from, to);
    const weights = this.#weights.subarray(from, to);
    for (let i = 0; i < order.length; i++) {
      const row = order[i] as number;
      gradients[i] = derivatives.gradients[row] as number;
      weights[i] = packed(derivatives.hessians[row] as number);
    }
    return this.#histograms.of({ order, gradients, weights }, features);
  }
}

function totalOf({ gradients, hessians }: Derivatives, rows: Int32Array): Sums {
  const sums = { gradient: 0, hessian: 0, count: rows.length };
  for (const row of rows) {
    sums.gradient += gradients[row] as number;
    sums.hessian += hessianOf(packed(hessians[row] as number));
  }
  return sums;
}

function bestOf(leaves: readonly Leaf[]): Leaf | undefined {
  let best: Leaf | undefined;
  for (const leaf of leaves) {
    if (leaf.best !== undefined && (best?.best === undefined || leaf.best.gain > best.best.gain)) best = leaf;
  }
  return best;
}
