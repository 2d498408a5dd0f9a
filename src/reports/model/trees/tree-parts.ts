import type { FeatureBins, GoesLeft } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import { divide, type Partition, undivided } from './partition.ts';

/** Limits of a table: 8 KiB, a quarter of a core's fastest cache, and the number of lookups that lead to an entry. */
export const MAX_ENTRIES = 1024;
export const MAX_FEATURES = 8;

/** How often a tree is cut in two, one cut below the other: a tree of which parts are still too large is walked. */
const MAX_CUTS = 5;

/** Features, each with its bins in cells. */
export type Partitions = ReadonlyMap<number, Partition>;

/** A tree, or the part of a tree below some node: it adds nothing to the rows that do not reach that node. */
export interface TreePart {
  root: number;
  /** The nodes above `root`, and the side on which it is. */
  path: readonly { node: number; isLeft: boolean }[];
  partitions: Partitions;
}

/** The number of entries of a table over these features. */
export function entriesOf(partitions: Iterable<Partition>): number {
  let entries = 1;
  for (const { size } of partitions) entries *= size;
  return entries;
}

/**
 * Cuts a tree into parts that fit into tables: into the two below its root if it does not fit, and so on.
 *
 * @returns undefined if it is too large
 */
export function partsOf(
  tree: { trees: CompiledTrees; bins: readonly FeatureBins[]; goesLeft: GoesLeft },
  root: number,
  path: TreePart['path'] = [],
): TreePart[] | undefined {
  const { features, right } = tree.trees;
  const nodes = path.map(({ node }) => node);
  const partitions = partitionsOf(tree, [...nodes, ...splitsBelow(tree.trees, root)]);
  if (partitions !== undefined) return [{ root, path, partitions }];
  if (features[root] === -1 || path.length === MAX_CUTS) return undefined;
  const left = partsOf(tree, root + 1, [...path, { node: root, isLeft: true }]);
  if (left === undefined) return undefined;
  const other = partsOf(tree, right[root] as number, [...path, { node: root, isLeft: false }]);
  return other && [...left, ...other];
}

/** The nodes from `root` down that are not leaves. */
function splitsBelow({ features, right }: CompiledTrees, root: number): number[] {
  const found: number[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (features[node] === -1) continue;
    found.push(node);
    open.push(right[node] as number, node + 1);
  }
  return found;
}

/** The cells that the conditions of these nodes make; undefined if they are too many for a table. */
function partitionsOf(
  { trees, bins, goesLeft }: Parameters<typeof partsOf>[0],
  nodes: readonly number[],
): Partitions | undefined {
  const found = new Map<number, Partition>();
  for (const node of nodes) {
    const feature = trees.features[node] as number;
    const before = found.get(feature) ?? undivided(bins[feature]?.count ?? 0);
    found.set(
      feature,
      divide(before, bin => goesLeft(node, bin)),
    );
    if (found.size > MAX_FEATURES || entriesOf(found.values()) > MAX_ENTRIES) return undefined;
  }
  return found;
}
