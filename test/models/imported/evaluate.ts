import type { ImportedModel, ImportedTree } from '../../../src/models/imported/imported-model.ts';

/** A value of a row: null is missing, a text is a category, or an infinity. */
export type Cell = number | string | null;

/** Zero as LightGBM defines it: up to 1e-35, as a float32. */
const ZERO = Math.fround(1e-35);

/** The scores of a row: the leaves that it reaches, added in the order of the trees, in doubles. */
export function scoresOf(model: ImportedModel, row: readonly Cell[]): number[] {
  const values = row.map((cell, feature) => cellValue(model, cell, feature));
  const scores = [...model.sum.base];
  for (const tree of model.trees) scores[tree.score] = (scores[tree.score] ?? 0) + leafOf(tree, values);
  return scores;
}

/** A number, or the code of a category; NaN is missing. */
function cellValue(model: ImportedModel, cell: Cell, feature: number): number {
  const categories = model.features[feature]?.categories;
  if (cell === null) return Number.NaN;
  if (categories?.kind === 'listed') {
    for (const [code, text] of categories.texts) if (text === String(cell)) return code;
    return Number.NaN;
  }
  return Number(typeof cell === 'string' ? cell.replace('inf', 'Infinity') : cell);
}

function leafOf(tree: ImportedTree, values: readonly number[]): number {
  let node = 0;
  for (;;) {
    const feature = tree.features[node] ?? -1;
    const cut = tree.values[node] ?? Number.NaN;
    if (feature === -1) return cut;
    const value = values[feature] ?? Number.NaN;
    const set = tree.sets.get(node);
    const isMissing =
      Number.isNaN(value) ||
      (set === undefined && tree.zeroIsMissing?.[node] === 1 && Math.abs(value) <= ZERO);
    const isLeft = set?.includes(Math.trunc(value)) ?? value <= cut;
    node = (isMissing ? tree.missingLeft[node] === 1 : isLeft)
      ? (tree.left[node] ?? 0)
      : (tree.right[node] ?? 0);
  }
}
