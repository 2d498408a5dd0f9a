import type { GoesLeft } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import type { Group } from './group-trees.ts';
import { representatives } from './partition.ts';
import { entriesOf, type Partitions, type SmallTree } from './tree-partitions.ts';

/** The sum of some trees as a table: an entry for each combination of its features' cells. */
export interface ScoreTable {
  /** The score that it adds to. */
  score: number;
  /** Its features, and for each of them by bin what it adds to the index of the entry. */
  features: number[];
  offsets: Uint16Array[];
  entries: Float64Array;
}

interface Model {
  trees: CompiledTrees;
  goesLeft: GoesLeft;
}

/** Computes the table of a group: the sum of those of its trees, each repeated over the features it does not have. */
export function scoreTable({ trees, partitions }: Group, score: number, model: Model): ScoreTable {
  const features = [...partitions.keys()];
  const strides = stridesOf(partitions);
  const offsets = [...partitions.values()].map(({ cells }, i) =>
    cells.map(cell => cell * (strides[i] as number)),
  );
  const entries = new Float64Array(entriesOf(partitions.values()));
  for (const tree of trees) {
    const own = tableOf(tree, model);
    const indexes = indexesInto(tree.partitions, partitions);
    for (let entry = 0; entry < entries.length; entry++)
      entries[entry] = (entries[entry] as number) + (own[indexes[entry] as number] as number);
  }
  return { score, features, offsets, entries };
}

/** For each feature, by how much the index of an entry grows from one cell to the next. */
function stridesOf(partitions: Partitions): number[] {
  let stride = 1;
  return [...partitions.values()].map(({ size }) => {
    const own = stride;
    stride *= size;
    return own;
  });
}

/** For each entry over the features and cells of a group, the index of the tree's entry. */
function indexesInto(tree: Partitions, group: Partitions): Uint16Array {
  const strides = new Map([...tree.keys()].map((feature, i) => [feature, stridesOf(tree)[i] as number]));
  const indexes = new Uint16Array(entriesOf(group.values()));
  let length = 1;
  for (const [feature, partition] of group) {
    const own = tree.get(feature)?.cells;
    const stride = strides.get(feature) ?? 0;
    const steps = representatives(partition).map(bin =>
      own === undefined ? 0 : (own[bin] as number) * stride,
    );
    // Backwards, because the indexes of the other cells are made of those of the first one.
    for (let cell = partition.size - 1; cell >= 0; cell--)
      for (let i = 0; i < length; i++)
        indexes[cell * length + i] = (indexes[i] as number) + (steps[cell] as number);
    length *= partition.size;
  }
  return indexes;
}

/** The scores of a tree for each combination of its features' cells. */
function tableOf({ root, partitions }: SmallTree, { trees, goesLeft }: Model): Float64Array {
  const axes = [...partitions].map(([feature, partition], i) => ({
    feature,
    bins: representatives(partition),
    stride: stridesOf(partitions)[i] as number,
  }));
  // By feature, the bin of the current entry.
  const bins = new Map<number, number>();
  const isLeft = (node: number) => goesLeft(node, bins.get(trees.features[node] as number) as number);
  const entries = new Float64Array(entriesOf(partitions.values()));
  for (let entry = 0; entry < entries.length; entry++) {
    for (const { feature, bins: own, stride } of axes)
      bins.set(feature, own[Math.floor(entry / stride) % own.length] as number);
    let node = root;
    while (trees.features[node] !== -1) node = isLeft(node) ? node + 1 : (trees.right[node] as number);
    entries[entry] = trees.cuts[node] as number;
  }
  return entries;
}
