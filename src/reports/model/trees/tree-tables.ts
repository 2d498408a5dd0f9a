import { type FeatureBins, featureBins, goesLeftByBin } from './bins.ts';
import type { CompiledTrees } from './compiled-trees.ts';
import { groupParts } from './group-parts.ts';
import { type ScoreTable, scoreTable } from './score-tables.ts';
import { entriesOf, partsOf, type TreePart } from './tree-parts.ts';

/** Tables of all trees together: 8 MB. Further trees are walked. */
const MAX_ALL_ENTRIES = 1 << 20;
/** The cost of a step down a tree, in lookups: most steps depend on a branch that no processor can predict. */
const STEP_LOOKUPS = 6;

/** Trees as tables, for `tableScores`: plain data, which threads can share. */
export interface TreeTables {
  /** Of all features. */
  bins: readonly FeatureBins[];
  tables: readonly ScoreTable[];
  /** The trees for which tables would not be faster. */
  walked: CompiledTrees | undefined;
}

/** Computes the tables of trees, in some milliseconds; undefined if a feature has too many bins. */
export function treeTables(trees: CompiledTrees, stride: number): TreeTables | undefined {
  const bins = featureBins(trees);
  return bins && { bins, ...tablesOf(trees, bins, stride) };
}

function tablesOf(
  trees: CompiledTrees,
  bins: readonly FeatureBins[],
  stride: number,
): Omit<TreeTables, 'bins'> {
  const goesLeft = goesLeftByBin(trees, bins);
  const parts: TreePart[][] = Array.from({ length: stride }, () => []);
  const isWalked = new Uint8Array(trees.roots.length);
  let entries = 0;
  trees.roots.forEach((root, tree) => {
    const own = entries < MAX_ALL_ENTRIES ? partsOf({ trees, bins, goesLeft }, root) : undefined;
    const lookups = own?.reduce((sum, { partitions }) => sum + partitions.size + 1, 0) ?? Infinity;
    if (own === undefined || lookups > STEP_LOOKUPS * (trees.depth + 1)) isWalked[tree] = 1;
    else {
      parts[trees.scores[tree] as number]?.push(...own);
      for (const { partitions } of own) entries += entriesOf(partitions.values());
    }
  });
  const tables = parts.flatMap((own, score) =>
    groupParts(own).map(group => scoreTable(group, score, { trees, goesLeft })),
  );
  if (!isWalked.includes(1)) return { tables, walked: undefined };
  const onlyWalked = (list: Int32Array) => list.filter((_, tree) => isWalked[tree]);
  return { tables, walked: { ...trees, roots: onlyWalked(trees.roots), scores: onlyWalked(trees.scores) } };
}
