import type { Categories, ImportedModel, ImportedTree } from '../../../src/models/imported/imported-model.ts';

/** A value of a row: null is missing, a text is a category, or an infinity. */
export type Cell = number | string | null;

/** Zero as LightGBM defines it: up to 1e-35, as a float32. */
const ZERO = Math.fround(1e-35);

/**
 * The raw scores of a row: the leaves that it reaches, added in the order of the trees, without the divisor of forests.
 *
 * @param levels by feature, the categories in the order of their codes, where the file does not have them
 */
export function scoresOf(
  model: ImportedModel,
  row: readonly Cell[],
  levels: readonly (readonly string[])[] = [],
): number[] {
  const { precision, base, scale = 1, bias } = model.sum;
  const round = precision === 'single' ? Math.fround : (value: number): number => value;
  const values = row.map((cell, feature) =>
    cellValue(cell, model.features[feature]?.categories, levels[feature]),
  );
  const scores = [...base];
  for (const tree of model.trees)
    scores[tree.score] = round((scores[tree.score] ?? 0) + leafOf(tree, values));
  return bias === undefined ? scores : scores.map((score, i) => score * scale + (bias[i] ?? 0));
}

/** A number, or the code of a category; NaN is missing. */
function cellValue(
  cell: Cell,
  categories: Categories | undefined,
  levels: readonly string[] | undefined,
): number {
  if (cell === null) return Number.NaN;
  if (categories?.kind === 'listed') {
    for (const [code, text] of categories.texts) if (text === String(cell)) return code;
    return Number.NaN;
  }
  if (categories?.kind === 'unknown') {
    if (categories.codeOf !== undefined) return categories.codeOf(String(cell));
    const code = levels?.indexOf(String(cell)) ?? -1;
    return code === -1 ? Number.NaN : code;
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
