import type { PredictionType } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import type { SavedModel } from '../model/model-format.ts';
import type { OutputSpec, TreesSpec } from '../model/predictor-spec.ts';
import {
  categoryLevels,
  checkCategories,
  codeOfEmpty,
  codeTexts,
  type Levels,
  withSpellings,
} from './category-levels.ts';
import type { ImportedModel, ImportedTree } from './imported-model.ts';
import {
  checkInputTypes,
  checkNames,
  columnNames,
  type ImportChoices,
  saidOf,
  signatureOf,
} from './model-columns.ts';

/** A model as a report has it, and what was assumed, one sentence each. */
export interface ConvertedModel {
  model: Extract<SavedModel, { output: OutputSpec }>;
  notes: string[];
}

/**
 * Makes a model of this program of one of another library: the same comparisons, and the same sums in the same order.
 *
 * @throws RowcastError `bad_option`, `unsupported_model`, `bad_model` for a signature of other columns
 */
export function toModel(read: ImportedModel, choices: ImportChoices): ConvertedModel {
  for (const option of ['features', 'classes'] as const) checkNames(option, choices[option] ?? []);
  const signature = signatureOf(read.features, choices);
  const added: string[] = [];
  const names = columnNames(read.features, choices, signature, added);
  const imported = { ...read, ...read.describe?.(saidOf(names, choices, signature)) };
  checkInputTypes(imported.features, names, signature);
  const notes = [...imported.notes, ...added];
  const uses = usesOf(imported.trees, imported.features.length);
  if (uses.every(({ hasPlain, hasZero }) => !(hasPlain || hasZero))) {
    // A report has a column, by which its rows are recognized.
    const kept = Math.max(
      0,
      imported.features.findIndex(({ categories }) => categories === undefined),
    );
    uses[kept] = { hasPlain: true, hasZero: false };
    notes.push(
      `No tree of the model uses a column: it predicts the same for all rows. The report keeps "${sanitize(names[kept] ?? '')}".`,
    );
  }
  checkCategories(choices.categories ?? {}, names, imported.features);
  const columns: LearnedColumn[] = [];
  const zeros: number[] = [];
  /** Texts that stand for missing categories. */
  const fillings = new Set<string>();
  /** By feature, its columns: one for all nodes, or a second one for those to which zero is a missing value. */
  const places = imported.features.map((feature, index) => {
    const name = names[index] ?? '';
    const { hasPlain, hasZero } = uses[index] ?? { hasPlain: false, hasZero: false };
    const add = (column: LearnedColumn): number => columns.push(column) - 1;
    const { categories } = feature;
    if (!(hasPlain || hasZero)) return {};
    if (categories !== undefined) {
      const { categories: given = {} } = choices;
      const own = Object.hasOwn(given, name) ? given[name] : undefined;
      const codes = codeTexts(name, categories, { trees: imported.trees, feature: index, given: own, names });
      const inFile = read.features[index]?.categories;
      if (
        own !== undefined &&
        inFile?.kind === 'listed' &&
        own.join('\n') !== [...inFile.texts.values()].join('\n')
      )
        notes.push(
          `--categories replaces those of "${sanitize(name)}" in the file, ${formatList([...inFile.texts.values()].slice(0, MAX_SHOWN).map(sanitize))}: --expect finds out whether that is right.`,
        );
      if (codes.some(([, text]) => text !== '' && text.trim() === ''))
        notes.push(`In "${sanitize(name)}", a category of spaces alone counts as missing.`);
      // An empty text may be a category, which differs from those that are unknown.
      const { code: empty, filled } = codeOfEmpty(codes, categories, imported.library);
      if (filled !== undefined) fillings.add(filled);
      const levels = categoryLevels(name, imported.library === 'CatBoost' ? withSpellings(codes) : codes);
      const others = empty === undefined ? {} : ({ others: 'merged' } as const);
      const plain = add({ name, type: 'categorical', levels: levels.texts, ...others });
      return { plain, levels: levels.byCode, empty };
    }
    const number = { name, type: 'numerical', notation: 'python' } as const;
    const plain = hasPlain ? add(number) : undefined;
    const zero = hasZero ? add(number) : undefined;
    if (zero !== undefined) zeros.push(zero);
    return { plain, zero };
  });
  if (fillings.size > 0)
    notes.push(
      `An empty category counts as ${formatList([...fillings].map(text => `"${text}"`))}, with which Python seems to have filled missing ones: --expect finds out.`,
    );
  else if (imported.library === 'CatBoost' && columns.some(({ type }) => type === 'categorical'))
    notes.push(
      'To CatBoost, an empty category is one more text: if Python filled in another one, the rows to be scored need it too.',
    );
  const spec: TreesSpec = {
    kind: 'trees',
    base: [...imported.sum.base],
    roots: [],
    features: [],
    values: [],
    right: [],
    missing: [],
    sets: [],
    levels: [],
    ...(imported.sum.precision === 'single' && { sum: 'single' }),
    ...(zeros.length > 0 && { zeros }),
  };
  for (const tree of inOrder(imported)) addTree(spec, tree, places);
  const { divisor, scale, bias } = imported.sum;
  return {
    model: {
      columns,
      prediction: predictionOf(imported, choices.classes, notes),
      predictor: spec,
      output: {
        ...(divisor !== undefined && { divisor }),
        ...(scale !== undefined && { scale }),
        ...(bias !== undefined && { bias: [...bias] }),
        link: imported.link,
        // What `to_csv` of the library's result has.
        isRounded: imported.sum.precision === 'single',
      },
    },
    notes,
  };
}

/** Categories that a note shows. */
const MAX_SHOWN = 10;

interface FeatureUse {
  /** Whether a node asks about it to which zero is a number, or a category. */
  hasPlain: boolean;
  /** Whether a node asks about it to which zero is a missing value. */
  hasZero: boolean;
}

function usesOf(trees: readonly ImportedTree[], features: number): FeatureUse[] {
  const uses = Array.from({ length: features }, () => ({ hasPlain: false, hasZero: false }));
  for (const tree of trees)
    tree.features.forEach((feature, node) => {
      const use = uses[feature];
      if (use !== undefined) use[tree.zeroIsMissing?.[node] === 1 ? 'hasZero' : 'hasPlain'] = true;
    });
  return uses;
}

/**
 * The trees in the order of the kernel, in which tree i adds to score i modulo the number of scores. XGBoost has the
 * parallel trees of a class one after the other. Those of each score keep their order, in which they are added.
 *
 * @throws RowcastError `bad_model`
 */
function inOrder({ trees, sum }: ImportedModel): readonly ImportedTree[] {
  const byScore = sum.base.map((_, score) => trees.filter(tree => tree.score === score));
  const [count = 0] = byScore.map(({ length }) => length);
  if (byScore.some(({ length }) => length !== count) || count * byScore.length !== trees.length)
    throw new RowcastError('bad_model', 'the classes of the model have different numbers of trees', {
      hint: 'Save the model again, or transfer the file again.',
    });
  return Array.from({ length: count }, (_, i) => byScore.flatMap(own => own[i] ?? [])).flat();
}

interface Places {
  plain?: number | undefined;
  zero?: number | undefined;
  /** By code, the numbers of its levels. */
  levels?: Levels['byCode'] | undefined;
  /** The code of a missing category, if it has one. */
  empty?: number | undefined;
}

/** Adds the nodes of a tree in preorder. */
function addTree(spec: TreesSpec, tree: ImportedTree, places: readonly Places[]): void {
  spec.roots.push(spec.features.length);
  /** Nodes that follow, and for a right one its parent in the list. */
  const open: { node: number; parent: number }[] = [{ node: 0, parent: -1 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, parent } = next;
    const at = spec.features.length;
    if (parent >= 0) spec.right[parent] = at;
    const feature = tree.features[node] as number; // `checkTree` has checked all of them
    const value = tree.values[node] as number;
    spec.right.push(0);
    if (feature < 0) {
      spec.missing.push(0);
      spec.features.push(-1);
      spec.values.push(value);
      spec.sets.push(-1);
      continue;
    }
    const place = places[feature] ?? {};
    const codes = tree.sets.get(node);
    const isMissingLeft =
      tree.missingLeft[node] === 1 || (place.empty !== undefined && codes?.includes(place.empty) === true);
    spec.missing.push(isMissingLeft ? 1 : 0);
    const isZero = codes === undefined && tree.zeroIsMissing?.[node] === 1;
    spec.features.push((isZero ? place.zero : place.plain) ?? 0);
    // Infinity separates missing values from all others.
    spec.values.push(
      codes === undefined ? Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE) : 0,
    );
    const levels = codes?.flatMap(code => place.levels?.get(code) ?? []).sort((a, b) => a - b);
    spec.sets.push(levels === undefined ? -1 : spec.levels.push(levels) - 1);
    open.push(
      { node: tree.right[node] as number, parent: at },
      { node: tree.left[node] as number, parent: -1 },
    );
  }
}

/** @throws RowcastError `bad_option` */
function predictionOf(
  { predicts, link, library, sum }: ImportedModel,
  given: readonly string[] | undefined,
  notes: string[],
): PredictionType {
  const { count } = predicts;
  if (predicts.kind === 'numbers') {
    if (given !== undefined)
      throw new RowcastError('bad_option', 'the model predicts a number, so it has no classes', {
        hint: 'Leave out --classes.',
      });
    return { kind: 'numbers', names: count === 1 ? [] : Array.from({ length: count }, (_, i) => String(i)) };
  }
  const classes = given ?? predicts.names ?? Array.from({ length: count }, (_, i) => String(i));
  if (classes.length !== count || new Set(classes).size !== count)
    throw new RowcastError(
      'bad_option',
      `--classes has ${new Set(classes).size} different names, but the model has ${count} classes`,
      { hint: 'Name each once, in the order of the sorted labels of the training.' },
    );
  if (given === undefined && predicts.names === undefined)
    notes.push(
      `The classes are named ${formatList(classes)}, because a file of ${library} does not have their names; --classes gives them.`,
    );
  if (link.kind !== 'sigmoid' || sum.base.length === 1)
    return { kind: 'distribution', classes: [...classes] };
  notes.push('Each class has a probability of its own; they do not sum to 1, so they are numbers by class.');
  return { kind: 'numbers', names: [...classes] };
}
