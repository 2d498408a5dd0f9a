import { intersect, type Partition } from './partition.ts';
import { entriesOf, MAX_ENTRIES, MAX_FEATURES, type Partitions, type SmallTree } from './tree-partitions.ts';

/** Trees that share a table, because they depend on nearly the same features. */
export interface Group {
  trees: SmallTree[];
  partitions: Partitions;
}

/** Groups that a tree is compared with: the last ones, so that the time for a thousand trees stays in milliseconds. */
const MAX_COMPARED = 48;
/** What a table that is filled to its limit costs, in lookups: it displaces others from the cache. */
const FULL_TABLE = 0.5;

/** Puts each tree into the group in which it costs the fewest additional lookups, or into one of its own. */
export function groupTrees(trees: readonly SmallTree[]): Group[] {
  const groups: Group[] = [];
  for (const tree of trees) {
    let cost = lookupsOf(tree.partitions.size);
    let joined: { group: Group; partitions: Partitions } | undefined;
    for (const group of groups.slice(-MAX_COMPARED)) {
      const features = countTogether(group.partitions, tree.partitions);
      const lookups = lookupsOf(features) - lookupsOf(group.partitions.size);
      if (features > MAX_FEATURES || lookups >= cost) continue;
      const partitions = joinPartitions(group.partitions, tree.partitions);
      if (partitions === undefined) continue;
      const own = lookups + (FULL_TABLE * entriesOf(partitions.values())) / MAX_ENTRIES;
      if (own >= cost) continue;
      cost = own;
      joined = { group, partitions };
    }
    if (joined === undefined) groups.push({ trees: [tree], partitions: tree.partitions });
    else {
      joined.group.trees.push(tree);
      joined.group.partitions = joined.partitions;
    }
  }
  return groups;
}

/** A table takes a lookup for each feature, rounded up to a multiple of four, and one for the entry. */
const lookupsOf = (features: number): number => 4 * Math.ceil(features / 4) + 1;

/** The number of features that either has. */
function countTogether(a: Partitions, b: Partitions): number {
  let count = a.size;
  for (const feature of b.keys()) if (!a.has(feature)) count++;
  return count;
}

/** The features of both, with the cells that either needs; undefined if they are too many for a table. */
function joinPartitions(a: Partitions, b: Partitions): Partitions | undefined {
  const joined = new Map<number, Partition>(a);
  // Together, a feature has at least as many cells as in either: most pairs that do not fit are found without dividing.
  let least = entriesOf(a.values());
  for (const [feature, { size }] of b) {
    const own = a.get(feature)?.size ?? 1;
    least *= Math.max(size, own) / own;
  }
  if (least > MAX_ENTRIES) return undefined;
  for (const [feature, partition] of b) {
    const known = joined.get(feature);
    joined.set(feature, known === undefined ? partition : intersect(known, partition));
    if (entriesOf(joined.values()) > MAX_ENTRIES) return undefined;
  }
  return joined;
}
