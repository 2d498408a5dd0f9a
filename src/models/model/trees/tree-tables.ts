import { type BinnedTrees, binnedTrees } from './binned-trees.ts';
import { type FeatureBins, featureBins, goesLeftByBin } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import { groupTrees } from './group-trees.ts';
import { type ScoreTable, scoreTable } from './score-tables.ts';
import { entriesOf, partitionsOf, type SmallTree } from './tree-partitions.ts';

/** Tables of all trees together: 8 MB. Further trees are walked. */
const MAX_ALL_ENTRIES = 1 << 20;

/** Trees as tables, for `tableScores`: plain data, which threads can share. */
export interface TreeTables {
  /** The bins of all features. */
  bins: readonly FeatureBins[];
  tables: readonly ScoreTable[];
  /** The trees that do not fit into a table. */
  walked: BinnedTrees | undefined;
}

/** Computes the tables of trees, in some milliseconds; undefined if a feature has too many bins. */
export function treeTables(trees: CompiledTrees, stride: number): TreeTables | undefined {
  const bins = featureBins(trees);
  if (bins === undefined) return undefined;
  const goesLeft = goesLeftByBin(trees, bins);
  const small: SmallTree[][] = Array.from({ length: stride }, () => []);
  const large: number[] = [];
  let entries = 0;
  trees.roots.forEach((root, tree) => {
    const partitions = entries < MAX_ALL_ENTRIES ? partitionsOf({ trees, bins, goesLeft }, root) : undefined;
    if (partitions === undefined) large.push(tree);
    else {
      small[trees.scores[tree] as number]?.push({ root, partitions });
      entries += entriesOf(partitions.values());
    }
  });
  const tables = small.flatMap((own, score) =>
    groupTrees(own).map(group => scoreTable(group, score, { trees, goesLeft })),
  );
  const walked = large.length === 0 ? undefined : binnedTrees({ trees, bins, goesLeft }, large);
  return { bins, tables, walked };
}
