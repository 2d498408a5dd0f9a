import type { FeatureBins, GoesLeft } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import { divide, type Partition, undivided } from './partition.ts';

/** Limits of a table: 8 KiB, a quarter of a core's fastest cache, and the number of lookups that lead to an entry. */
export const MAX_ENTRIES = 1024;
export const MAX_FEATURES = 8;

/** Features, each with its bins in cells. */
export type Partitions = ReadonlyMap<number, Partition>;

/** A tree that fits into a table. */
export interface SmallTree {
  root: number;
  partitions: Partitions;
}

/** The number of entries of a table over these features. */
export function entriesOf(partitions: Iterable<Partition>): number {
  let entries = 1;
  for (const { size } of partitions) entries *= size;
  return entries;
}

/** The cells that the conditions of a tree make; undefined if they are too many for a table. */
export function partitionsOf(
  { trees, bins, goesLeft }: { trees: CompiledTrees; bins: readonly FeatureBins[]; goesLeft: GoesLeft },
  root: number,
): Partitions | undefined {
  const splits = splitsOf(trees, root);
  const features = new Set(splits.map(node => trees.features[node] as number));
  if (features.size > MAX_FEATURES) return undefined;
  const found = new Map<number, Partition>();
  for (const node of splits) {
    const feature = trees.features[node] as number;
    const before = found.get(feature) ?? undivided(bins[feature]?.count ?? 0);
    found.set(
      feature,
      divide(before, bin => goesLeft(node, bin)),
    );
    if (entriesOf(found.values()) > MAX_ENTRIES) return undefined;
  }
  return found;
}

/** The nodes of a tree that are not leaves. */
function splitsOf({ features, right }: CompiledTrees, root: number): number[] {
  const found: number[] = [];
  const open = [root];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (features[node] === -1) continue;
    found.push(node);
    open.push(right[node] as number, node + 1);
  }
  return found;
}
