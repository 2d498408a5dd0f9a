import { intersect, type Partition } from './partition.ts';
import { entriesOf, MAX_ENTRIES, MAX_FEATURES, type Partitions, type TreePart } from './tree-parts.ts';

/** Parts of trees that share a table, because they depend on nearly the same features. */
export interface Group {
  parts: TreePart[];
  partitions: Partitions;
}

/** Groups that a part is compared with: the last ones, so that the time for a thousand trees stays in milliseconds. */
const MAX_COMPARED = 48;
/** What a table that is filled to its limit costs, in lookups: it displaces others from the cache. */
const FULL_TABLE = 0.5;

/** Puts each part into the group in which it costs the fewest additional lookups, or into one of its own. */
export function groupParts(parts: readonly TreePart[]): Group[] {
  const groups: Group[] = [];
  for (const part of parts) {
    // A table of its own takes a lookup for each feature, and one for the entry.
    let cost = part.partitions.size + 1;
    let joined: { group: Group; partitions: Partitions } | undefined;
    for (const group of groups.slice(-MAX_COMPARED)) {
      const partitions = joinPartitions(group.partitions, part.partitions);
      if (partitions === undefined) continue;
      const own =
        partitions.size - group.partitions.size + (FULL_TABLE * entriesOf(partitions.values())) / MAX_ENTRIES;
      if (own >= cost) continue;
      cost = own;
      joined = { group, partitions };
    }
    if (joined === undefined) groups.push({ parts: [part], partitions: part.partitions });
    else {
      joined.group.parts.push(part);
      joined.group.partitions = joined.partitions;
    }
  }
  return groups;
}

/** The classes that both tell apart; undefined if they are too many for a table. */
function joinPartitions(a: Partitions, b: Partitions): Partitions | undefined {
  const joined = new Map<number, Partition>(a);
  for (const [feature, partition] of b) {
    const known = joined.get(feature);
    joined.set(feature, known === undefined ? partition : intersect(known, partition));
    if (joined.size > MAX_FEATURES || entriesOf(joined.values()) > MAX_ENTRIES) return undefined;
  }
  return joined;
}
