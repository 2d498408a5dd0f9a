import { RowcastError } from '../../base/errors.ts';
import { type ImportedTree, MAX_NODES } from './imported-model.ts';

/**
 * Makes splits of numbers that are codes of categories into splits of categories: the codes of ordered categories are
 * compared, and a missing or unseen one is a missing number.
 *
 * @param counts by feature, how many categories it has
 * @throws RowcastError `unsupported_model` if the sets would fill memory
 */
export function orderedAsCategories(
  trees: readonly ImportedTree[],
  counts: ReadonlyMap<number, number>,
): readonly ImportedTree[] {
  if (counts.size === 0) return trees;
  let inSets = 0;
  return trees.map(tree => {
    const sets = new Map(tree.sets);
    tree.features.forEach((feature, node) => {
      const count = counts.get(feature);
      if (count === undefined) return;
      inSets += count;
      if (inSets > MAX_NODES)
        throw new RowcastError('unsupported_model', `its sets of categories are larger than ${MAX_NODES}`, {
          hint: 'Train it with fewer ordered categories.',
        });
      const threshold = tree.values[node] ?? 0;
      const isZeroMissing = tree.zeroIsMissing?.[node] === 1;
      const codes = Array.from({ length: count }, (_, code) => code);
      sets.set(
        node,
        codes.filter(code =>
          code === 0 && isZeroMissing ? tree.missingLeft[node] === 1 : code <= threshold,
        ),
      );
    });
    return { ...tree, sets };
  });
}
