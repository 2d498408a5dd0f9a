import type { FeatureBins, GoesLeft } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import type { Group } from './group-parts.ts';
import { representatives } from './partition.ts';
import { entriesOf, type TreePart } from './tree-parts.ts';

/** The sum of some trees as a table: an entry for each combination of the classes of its features' bins. */
export interface ScoreTable {
  /** The score that it adds to. */
  score: number;
  /** Its features, and for each of them by bin what it adds to the index of the entry. */
  features: number[];
  offsets: Uint16Array[];
  entries: Float64Array;
}

/** Computes a group's table by following its trees for every entry. */
export function scoreTable(
  { parts, partitions }: Group,
  score: number,
  { trees, goesLeft }: { trees: CompiledTrees; goesLeft: GoesLeft },
): ScoreTable {
  const features = [...partitions.keys()];
  const offsets: Uint16Array[] = [];
  let stride = 1;
  const axes = [...partitions.values()].map(partition => {
    const own = stride;
    offsets.push(partition.classes.map(number => number * own));
    stride *= partition.size;
    return { bins: representatives(partition), stride: own };
  });
  const entries = new Float64Array(entriesOf(partitions.values()));
  // By feature, the bin of the current entry.
  const bins = new Uint16Array(Math.max(0, ...features) + 1);
  for (let entry = 0; entry < entries.length; entry++) {
    axes.forEach(({ bins: own, stride }, i) => {
      bins[features[i] as number] = own[Math.floor(entry / stride) % own.length] as number;
    });
    for (const part of parts) entries[entry] = (entries[entry] as number) + sumOf(part, bins);
  }
  return { score, features, offsets, entries };

  function sumOf({ root, path }: TreePart, bins: Uint16Array): number {
    const isLeft = (node: number) => goesLeft(node, bins[trees.features[node] as number] as number);
    if (path.some(step => isLeft(step.node) !== step.isLeft)) return 0;
    let node = root;
    while (trees.features[node] !== -1) node = isLeft(node) ? node + 1 : (trees.right[node] as number);
    return trees.cuts[node] as number;
  }
}

/** The features that some table depends on. */
export function featuresOf(
  tables: readonly ScoreTable[],
  bins: readonly FeatureBins[],
): { feature: number; bins: FeatureBins }[] {
  const used = new Set(tables.flatMap(({ features }) => features));
  return bins.flatMap((own, feature) => (used.has(feature) ? [{ feature, bins: own }] : []));
}
