import { RowcastError } from '../../base/errors.ts';

/** The categories of a column of pandas, by code, as Python prints them. */
export type PandasCategories = readonly string[];

/** What is known of a feature that may be a column of pandas with categories. */
export interface CategoryCandidate {
  /** Whether the library treats its values as categories; otherwise they are numbers, or it is not used. */
  isCategory: boolean;
  /** The smallest and the largest value or code that occurs; undefined if it is not known, or does not matter. */
  range: readonly [number, number] | undefined;
  /** Whether its values are texts, as MLflow says, so that it has a list although the library may compare its codes. */
  isText?: boolean;
  /** The list that a person gave for it. */
  own?: PandasCategories | undefined;
}

/** A token of JSON: a bracket, a comma, or a value, of which texts are in quotes. Python also writes NaN and Infinity. */
const TOKEN = /[[\],]|"(?:[^"\\]|\\.)*"|[-\w.+]+/y;
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const words = new Map([
  ['true', 'True'],
  ['false', 'False'],
  ['NaN', 'nan'],
  ['Infinity', 'inf'],
  ['-Infinity', '-inf'],
]);

/**
 * Reads the lists of `pandas_categorical`. NumberList keep their text, because JSON in JavaScript does not tell 1 from 1.0.
 *
 * @param json a list of lists, or `null` for a model that was not trained with pandas
 * @throws RowcastError `bad_model`
 */
export function readPandasCategories(json: string): readonly PandasCategories[] {
  if (json.trim() === 'null') return [];
  let at = 0;
  const fail = (): never => {
    throw new RowcastError('bad_model', `pandas_categorical is no list of lists, at its character ${at + 1}`);
  };
  const token = (): string => {
    while (json.charAt(at) === ' ') at++;
    TOKEN.lastIndex = at;
    const [found = ''] = TOKEN.exec(json) ?? fail();
    at += found.length;
    return found;
  };
  /** Reads a list whose bracket was read. */
  const list = <Item>(read: (first: string) => Item): Item[] => {
    const items: Item[] = [];
    let next = token();
    while (next !== ']') {
      items.push(read(next));
      next = token();
      if (next === ',') next = token();
      else if (next !== ']') fail();
    }
    return items;
  };
  const category = (value: string): string => {
    if (value.startsWith('"')) return textOf(value) ?? fail();
    return NUMBER.test(value) ? value : (words.get(value) ?? fail());
  };
  if (token() !== '[') fail();
  const lists = list(first => (first === '[' ? list(category) : fail()));
  if (json.slice(at).trim() !== '') fail();
  for (const texts of lists)
    if (new Set(texts).size < texts.length)
      throw new RowcastError(
        'unsupported_model',
        'categories of a column differ only in their type, such as 1 and "1"',
        {
          hint: 'A text cannot tell them apart. Make them texts before training.',
        },
      );
  return lists;
}

function textOf(json: string): string | undefined {
  try {
    return String(JSON.parse(json));
  } catch {
    return undefined;
  }
}

/** Steps that are tried to assign lists to features: a model of any size is below it, a hostile file is not. */
const MAX_STEPS = 1e7;

/**
 * Assigns the lists of pandas to features. They are in the order of the columns, but the file does not say which columns
 * had one: those that the library treats as categories, ordered ones, which are numbers to it, and unused ones. As many
 * lists as features with categories are theirs, by position; else a list is assigned where each way to assign all of
 * them gives the same, if numbers have it only with just its codes.
 *
 * @returns by feature, its list, `unknown` if it has one of several or may have one, or undefined if it has none
 */
export function assignCategories(
  lists: readonly PandasCategories[],
  features: readonly CategoryCandidate[],
): (PandasCategories | 'unknown' | undefined)[] {
  if (lists.length === 0) return features.map(() => undefined);
  const known = new Set(lists.map(keyOf));
  const all = features.map(feature => ({
    ...feature,
    own: undefined,
    key: feature.own && known.has(keyOf(feature.own)) ? keyOf(feature.own) : undefined,
  }));
  const withList = all.filter(hasList).length;
  if (lists.length === withList) {
    let next = 0;
    const assigned = all.map(feature => (hasList(feature) ? lists[next++] : undefined));
    if (all.every((feature, at) => assigned[at] === undefined || fits(assigned[at], feature)))
      return features.map(({ own }, at) => own ?? assigned[at]);
  }
  // Integers that are fewer than the categories may be codes too, so a category is certain only if it is with those.
  const certain = outcomes(lists, all, fits);
  const numbers = outcomes(lists, all, (list, feature) => fits(list, feature) && isComplete(list, feature));
  return features.map(({ own, isCategory, range }, feature) => {
    if (own !== undefined) return own;
    const found = certain?.[feature];
    const likely = isCategory ? undefined : numbers?.[feature];
    for (const only of [found, likely]) if (only?.size === 1) return lists[[...only][0] ?? NO_LIST];
    // An unused column needs no list.
    const hasSome = [...(likely ?? found ?? [])].some(list => list !== NO_LIST);
    return isCategory || (hasSome && range !== undefined) ? 'unknown' : undefined;
  });
}

/** Columns that are numbers to the library and have just the codes of a list, so that they may be categories. */
export const possibleOthers = (
  lists: readonly PandasCategories[],
  features: readonly CategoryCandidate[],
): number[] =>
  features.flatMap((feature, at) =>
    !feature.isCategory &&
    feature.own === undefined &&
    feature.range !== undefined &&
    lists.some(list => list.length > 1 && fits(list, feature) && isComplete(list, feature))
      ? [at]
      : [],
  );

/** A feature as lists are assigned to it. */
interface Assignable extends CategoryCandidate {
  /** The `keyOf` the list that a person gave for it, if the file has it. */
  key?: string | undefined;
}

const keyOf = (list: PandasCategories): string => JSON.stringify(list);

/** Whether a feature has a list in all likelihood: not if its categories are numbers that were no category in pandas. */
const hasList = ({ isCategory, isText = false, key }: Assignable): boolean =>
  isCategory || isText || key !== undefined;

/** Whether a feature may have had this list. */
export function fits(list: PandasCategories, { range, key }: Assignable): boolean {
  if (key !== undefined) return keyOf(list) === key;
  return range === undefined || (range[0] >= 0 && range[1] < list.length && range.every(Number.isInteger));
}

/** Whether all categories of a list occur, if the feature is a number. */
function isComplete(list: PandasCategories, { isCategory, isText, key, range }: Assignable): boolean {
  if (isCategory || isText || key !== undefined || range === undefined) return true;
  return range[0] === 0 && range[1] === list.length - 1;
}

const NO_LIST = -1;

/**
 * By feature, the lists that it has in any way of assigning all of them in order, `NO_LIST` among them if it may have
 * none; undefined if there is no way at all.
 */
function outcomes(
  lists: readonly PandasCategories[],
  features: readonly Assignable[],
  may: (list: PandasCategories, feature: Assignable) => boolean,
): Set<number>[] | undefined {
  const width = lists.length + 1;
  if (width * features.length > MAX_STEPS) return undefined;
  const needsList = lists.length >= features.filter(hasList).length;
  const mayLack = ({ isCategory, isText = false, key }: Assignable): boolean =>
    !(isText || key !== undefined || (isCategory && needsList));
  const takes = (feature: Assignable, list: number): boolean => may(lists[list] ?? [], feature);

  // before[f][l]: the features before f can have the first l lists. after[f][l]: those from f on can have the rest.
  const before = new Uint8Array((features.length + 1) * width);
  const after = new Uint8Array((features.length + 1) * width);
  before[0] = 1;
  after[features.length * width + lists.length] = 1;
  features.forEach((feature, f) => {
    for (let l = 0; l < width; l++) {
      if (before[f * width + l] === 0) continue;
      if (mayLack(feature)) before[(f + 1) * width + l] = 1;
      if (l < lists.length && takes(feature, l)) before[(f + 1) * width + l + 1] = 1;
    }
  });
  if (before.at(-1) === 0) return undefined;
  for (let f = features.length - 1; f >= 0; f--) {
    const feature = features[f];
    if (feature === undefined) continue;
    for (let l = 0; l < width; l++) {
      const lacks = mayLack(feature) && after[(f + 1) * width + l] === 1;
      const has = l < lists.length && takes(feature, l) && after[(f + 1) * width + l + 1] === 1;
      if (lacks || has) after[f * width + l] = 1;
    }
  }
  return features.map((feature, f) => {
    const found = new Set<number>();
    for (let l = 0; l < width; l++) {
      if (before[f * width + l] === 0) continue;
      if (mayLack(feature) && after[(f + 1) * width + l] === 1) found.add(NO_LIST);
      if (l < lists.length && takes(feature, l) && after[(f + 1) * width + l + 1] === 1) found.add(l);
    }
    return found;
  });
}
