import type { Categories, ImportedModel, ImportedTree } from '../../../src/models/imported/imported-model.ts';

/** A cell of a row: null is missing. */
export type Cell = number | string | null;

/** The raw scores of a row whose cells are in the order of the model's features. */
export function evaluate(
  model: ImportedModel,
  row: readonly Cell[],
  levels: readonly string[][] = [],
): number[] {
  const { precision, base, divisor = 1, scale = 1, bias } = model.sum;
  const round = precision === 'single' ? Math.fround : (value: number): number => value;
  const values = model.features.map(({ categories }, i) => {
    const cell = row[i] ?? null;
    if (cell === null || categories === undefined) return cell === null ? Number.NaN : Number(cell);
    return codeOf(categories, String(cell), levels[i] ?? []);
  });
  const sums = [...base];
  for (const tree of model.trees) sums[tree.score] = round((sums[tree.score] ?? 0) + leafOf(tree, values));
  return sums.map((sum, i) => round((sum / divisor) * scale + (bias?.[i] ?? 0)));
}

function codeOf(categories: Categories, text: string, levels: readonly string[]): number {
  if (categories.kind === 'codes') return Number(text);
  if (categories.kind === 'listed')
    return [...categories.texts].find(([, own]) => own === text)?.[0] ?? Number.NaN;
  if (categories.codeOf !== undefined) return categories.codeOf(text);
  return levels.includes(text) ? levels.indexOf(text) : Number.NaN;
}

function leafOf(tree: ImportedTree, values: readonly number[]): number {
  let node = 0;
  for (;;) {
    const feature = tree.features[node] ?? -1;
    const cut = tree.values[node] ?? 0;
    if (feature === -1) return cut;
    let value = values[feature] ?? Number.NaN;
    if (tree.zeroIsMissing?.[node] === 1 && Math.abs(value) <= 1.0000000180025095e-35) value = Number.NaN;
    const set = tree.sets.get(node);
    const goesLeft = Number.isNaN(value)
      ? tree.missingLeft[node] === 1
      : set === undefined
        ? value <= cut
        : set.includes(value);
    node = (goesLeft ? tree.left[node] : tree.right[node]) ?? 0;
  }
}
