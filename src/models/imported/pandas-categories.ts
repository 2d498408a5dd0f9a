import { RowcastError } from '../../base/errors.ts';

/** The categories of a column of pandas, by code, as Python prints them. */
export type PandasCategories = readonly string[];

/** What is known of a feature that may be a column of pandas with categories. */
export interface CategoryCandidate {
  /** Whether the library treats its values as categories; otherwise they are numbers, or it is not used. */
  isCategory: boolean;
  /** The smallest and the largest value or code that occurs; undefined if it is not known, or does not matter. */
  range: readonly [number, number] | undefined;
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
 * had one: those that the library treats as categories, ordered ones, which are numbers to it, and unused ones. A list is
 * assigned where each way to assign all of them gives the same.
 *
 * @returns by feature, its list, `unknown` if it has one of several, or undefined if it has none
 */
export function assignCategories(
  lists: readonly PandasCategories[],
  features: readonly CategoryCandidate[],
): (PandasCategories | 'unknown' | undefined)[] {
  const categories = features.filter(({ isCategory }) => isCategory).length;
  if (lists.length === 0) return features.map(() => undefined);
  if (lists.length === categories) {
    let next = 0;
    const assigned = features.map(({ isCategory }) => (isCategory ? lists[next++] : undefined));
    if (features.every((feature, at) => assigned[at] === undefined || fits(assigned[at], feature)))
      return assigned;
  }
  // Integers that are fewer than the categories may be codes too, so a category is certain only if it is with those.
  const certain = outcomes(lists, features, fits);
  const numbers = outcomes(
    lists,
    features,
    (list, feature) => fits(list, feature) && isComplete(list, feature),
  );
  return features.map(({ isCategory }, feature) => {
    const found = (isCategory ? certain : numbers)?.[feature];
    if (found === undefined) return isCategory ? 'unknown' : undefined;
    if (found.size === 1) return lists[[...found][0] ?? NO_LIST];
    return isCategory || !found.has(NO_LIST) ? 'unknown' : undefined;
  });
}

/** Whether a column that is a number to the library has just the codes of a list, so that it may be an ordered category. */
export const mayBeOthers = (
  lists: readonly PandasCategories[],
  features: readonly CategoryCandidate[],
): boolean =>
  features.some(
    feature =>
      !feature.isCategory &&
      feature.range !== undefined &&
      lists.some(list => list.length > 1 && fits(list, feature) && isComplete(list, feature)),
  );

/** Whether a feature may have had this list. */
function fits(list: PandasCategories, { range }: CategoryCandidate): boolean {
  return range === undefined || (range[0] >= 0 && range[1] < list.length && range.every(Number.isInteger));
}

/** Whether all categories of a list occur, if the feature is a number. */
function isComplete(list: PandasCategories, { isCategory, range }: CategoryCandidate): boolean {
  return isCategory || range === undefined || (range[0] === 0 && range[1] === list.length - 1);
}

const NO_LIST = -1;

/**
 * By feature, the lists that it has in any way of assigning all of them in order, `NO_LIST` among them if it may have
 * none; undefined if there is no way at all.
 */
function outcomes(
  lists: readonly PandasCategories[],
  features: readonly CategoryCandidate[],
  may: (list: PandasCategories, feature: CategoryCandidate) => boolean,
): Set<number>[] | undefined {
  const width = lists.length + 1;
  if (width * features.length > MAX_STEPS) return undefined;
  const needsList = lists.length >= features.filter(({ isCategory }) => isCategory).length;
  const mayLack = ({ isCategory }: CategoryCandidate): boolean => !(isCategory && needsList);
  const takes = (feature: CategoryCandidate, list: number): boolean => may(lists[list] ?? [], feature);

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
