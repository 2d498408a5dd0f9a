import type { PredictionType } from '../../base/contract/predictions.ts';
import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import type { SavedModel } from '../model/model-format.ts';
import { MAX_LEVEL, type OutputSpec, type TreesSpec } from '../model/predictor-spec.ts';
import type { Categories, ImportedFeature, ImportedModel, ImportedTree } from './imported-model.ts';

/** What a person says of a model, because its file does not. */
export interface ImportChoices {
  /** The classes, in the order of the sorted labels of the training. */
  classes?: readonly string[] | undefined;
  /** The columns, in the order of the training. */
  features?: readonly string[] | undefined;
  /** By column, its categories in the order of their codes. */
  categories?: Readonly<Record<string, readonly string[]>> | undefined;
  /** The names of a table with the model's columns, in which spaces of the file's names are looked for. */
  header?: readonly string[] | undefined;
}

/** A model as a report has it, and what was assumed, one sentence each. */
export interface ConvertedModel {
  model: Extract<SavedModel, { output: OutputSpec }>;
  notes: string[];
}

/**
 * Makes a model of this program of one of another library: the same comparisons, and the same sums in the same order.
 *
 * @throws RowcastError `bad_option`, `unsupported_model`
 */
export function toModel(imported: ImportedModel, choices: ImportChoices): ConvertedModel {
  const notes = [...imported.notes];
  const names = columnNames(imported.features, choices, notes);
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
      const levels = levelsOf(name, categories, imported.trees, index, own);
      if (levels.texts.some(text => text !== '' && text.trim() === ''))
        notes.push(`In "${sanitize(name)}", a category of spaces alone counts as missing.`);
      // An empty text may be a category, which differs from those that are unknown.
      const empty = codeOfEmpty(categories);
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
  if (imported.library === 'CatBoost' && columns.some(({ type }) => type === 'categorical'))
    notes.push(
      'To CatBoost, an empty category is one more text: if Python filled in another one, such as nan or missing, the rows to be scored need it too.',
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

/** The columns of a model in the order of its features. @throws RowcastError `bad_option` */
function columnNames(
  features: readonly ImportedFeature[],
  { features: given, header = [] }: ImportChoices,
  notes: string[],
): string[] {
  if (given !== undefined) {
    if (new Set(given).size !== given.length)
      throw new RowcastError('bad_option', '--features names a column twice', {
        hint: 'Name the columns in the order of the training.',
      });
    if (given.length !== features.length)
      throw new RowcastError(
        'bad_option',
        `--features has ${countOf(given.length, 'name')}, but the model has ${countOf(features.length, 'feature')}`,
        { hint: 'Name the columns in the order of the training, without the predicted one.' },
      );
    const other = features.findIndex(
      ({ name }, i) => name !== undefined && underscored(name) !== underscored(given[i] ?? ''),
    );
    if (other !== -1)
      throw new RowcastError(
        'bad_option',
        `--features has "${sanitize(given[other] ?? '')}" where the model has "${sanitize(features[other]?.name ?? '')}"`,
        { hint: 'The file names its columns, so leave out --features, or correct the order.' },
      );
    return [...given];
  }
  if (features.some(({ name }) => name === undefined))
    throw new RowcastError(
      'bad_option',
      `the file has no names for the ${countOf(features.length, 'feature')} of the model, only positions`,
      {
        hint: 'Give --features with the columns in the order of the training, as in print(",".join(X.columns)).',
      },
    );
  const known = new Set(header);
  const renamed: string[] = [];
  const names = features.map(({ name = '', hasUnderscores = false }) => {
    if (!hasUnderscores || known.has(name)) return name;
    const [only, ...more] = header.filter(each => underscored(each) === name);
    if (only === undefined || more.length > 0) return name;
    renamed.push(only);
    return only;
  });
  if (renamed.length > 0)
    notes.push(`The file has underscores in place of the spaces of ${formatList(renamed.map(sanitize))}.`);
  return names;
}

const underscored = (name: string): string => name.replaceAll(' ', '_');

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

/** @throws RowcastError `bad_option` for a column that has no categories */
function checkCategories(
  categories: Readonly<Record<string, readonly string[]>>,
  names: readonly string[],
  features: readonly ImportedFeature[],
): void {
  for (const column of Object.keys(categories)) {
    const feature = features[names.indexOf(column)];
    if (feature?.categories !== undefined) continue;
    const what = feature === undefined ? 'the model has no column' : 'the model has numbers in the column';
    throw new RowcastError('bad_option', `--categories: ${what} "${sanitize(column)}"`);
  }
}

interface Levels {
  texts: string[];
  /** By code, the number of its level. */
  byCode: ReadonlyMap<number, number>;
}

/** @throws RowcastError `bad_option`, `unsupported_model` */
function levelsOf(
  column: string,
  categories: Categories,
  trees: readonly ImportedTree[],
  feature: number,
  given: readonly string[] | undefined,
): Levels {
  const codes = codeTexts(column, categories, trees, feature, given);
  if (codes.length >= MAX_LEVEL)
    throw new RowcastError(
      'unsupported_model',
      `the column "${sanitize(column)}" has ${counted(codes.length)} categories; the limit is ${MAX_LEVEL - 1}`,
      { hint: 'Train it without the column, or merge rare categories.' },
    );
  return {
    texts: codes.map(([, text]) => text),
    byCode: new Map(codes.map(([code], index) => [code, index + 1])),
  };
}

function codeTexts(
  column: string,
  categories: Categories,
  trees: readonly ImportedTree[],
  feature: number,
  given: readonly string[] | undefined,
): (readonly [code: number, text: string])[] {
  if (categories.kind === 'listed' && given === undefined) return [...categories.texts];
  if (given !== undefined) {
    if (new Set(given).size !== given.length)
      throw new RowcastError('bad_option', `--categories has one twice of the column "${sanitize(column)}"`, {
        hint: 'Give each once, in the order of the training.',
      });
    const codeOf = categories.kind === 'unknown' ? categories.codeOf : undefined;
    const highest = codeOf === undefined ? highestCode(trees, feature) : -1;
    if (highest >= given.length)
      throw new RowcastError(
        'bad_option',
        `--categories has ${given.length} of the column "${sanitize(column)}", but the model has ${highest + 1} or more`,
        { hint: 'Give all of them, in the order of the training.' },
      );
    return given.map((text, index) => [codeOf?.(text) ?? index, text]);
  }
  if (categories.kind === 'codes') {
    const highest = Math.max(0, highestCode(trees, feature));
    if (highest >= MAX_LEVEL) return new Array(highest);
    return Array.from({ length: highest + 1 }, (_, code) => [code, String(code)]);
  }
  const { because, codeOf } = categories.kind === 'unknown' ? categories : {};
  const name = sanitize(column);
  const list = `--categories ${name}=A,B,C, or ${name}=@FILE with one on each line`;
  throw new RowcastError(
    'bad_option',
    `the file does not have the categories of the column "${name}"${because === undefined ? '' : `: ${because}`}`,
    {
      hint:
        codeOf === undefined
          ? `Give them in the order of the training, as X["${name}"].cat.categories has them: ${list}.`
          : `Save the model with pool=Pool(X, y, cat_features=…), or give them: ${list}.`,
    },
  );
}

/** The highest code that trees ask about; -1 if there is none. */
function highestCode(trees: readonly ImportedTree[], feature: number): number {
  let highest = -1;
  for (const { features, sets } of trees)
    for (const [node, codes] of sets)
      if (features[node] === feature) for (const code of codes) highest = Math.max(highest, code);
  return highest;
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
  /** By code, the number of its level. */
  levels?: ReadonlyMap<number, number> | undefined;
  /** The code of a missing category, if it has one. */
  empty?: number | undefined;
}

function codeOfEmpty(categories: Categories): number | undefined {
  if (categories.kind === 'unknown') return categories.codeOf?.('');
  if (categories.kind === 'codes') return undefined;
  for (const [code, text] of categories.texts) if (text === '') return code;
  return undefined;
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
