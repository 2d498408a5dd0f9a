import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Categories, ImportedFeature, ImportedTree } from './imported-model.ts';
import { orderedAsCategories } from './ordered-categories.ts';
import {
  assignCategories,
  type CategoryCandidate,
  mayBeOthers,
  readPandasCategories,
} from './pandas-categories.ts';

/** What a file says of its features after its trees. */
export interface FeatureSources {
  /** The numbers in `[categorical_feature: 2,3]`; undefined if it is absent or names columns in another way. */
  categories: readonly number[] | undefined;
  /** The JSON of `pandas_categorical`. */
  pandas: string | undefined;
}

/**
 * Names and categories of the features, and the trees, with sets of categories where the file compares codes.
 *
 * @param head `feature_names` and `feature_infos`
 * @param notes to which it adds what it assumes
 * @throws RowcastError `bad_model`, `unsupported_model`
 */
export function describeFeatures(
  { names, infos }: { names: readonly string[]; infos: readonly string[] },
  sources: FeatureSources,
  read: readonly ImportedTree[],
  notes: string[],
): { features: ImportedFeature[]; trees: readonly ImportedTree[] } {
  checkNames(names);
  const lists = readPandasCategories(sources.pandas ?? 'null');
  const candidates = candidatesOf(infos, read, sources.categories, names);
  const assigned = assignCategories(lists, candidates);
  const ordered = new Map<number, number>();
  const isPositions = names.every((name, at) => name === `Column_${at}`);
  const features = names.map((name, at): ImportedFeature => {
    const list = assigned[at];
    const { isCategory = false } = candidates[at] ?? {};
    if (!isCategory && list !== undefined && list !== 'unknown') ordered.set(at, list.length);
    let categories: Categories | undefined;
    if (list === 'unknown') categories = isCategory ? { kind: 'unknown' } : undefined;
    else if (list !== undefined) categories = { kind: 'listed', texts: new Map(list.entries()) };
    else if (isCategory && infos[at] !== 'none') categories = { kind: 'codes' };
    return isPositions
      ? { name: undefined, categories }
      : { name, ...(name.includes('_') && { hasUnderscores: true }), categories };
  });
  if (lists.length > 0 && mayBeOthers(lists, candidates))
    notes.push(
      'Which columns the lists of categories belong to is taken from their order. If categorical_feature was given by hand, or categories are ordered, that may be wrong: --expect finds out.',
    );
  if (ordered.size > 0)
    notes.push(
      `Ordered categories of pandas, which LightGBM compares as numbers: ${listed(names, ordered.keys())}.`,
    );
  const left = lists.length - assigned.filter(list => list !== undefined && list !== 'unknown').length;
  if (left > 0)
    notes.push(
      `The file does not say which columns ${left} of its ${lists.length} lists of categories belong to, perhaps because some are ordered.`,
    );
  if (lists.length === 0 && features.some(({ categories }) => categories !== undefined))
    notes.push('The file has no lists of categories: their values are taken as whole numbers.');
  return { features, trees: orderedAsCategories(read, ordered) };
}

function listed(names: readonly string[], features: Iterable<number>): string {
  return sanitize([...features].map(feature => names[feature]).join(', '));
}

function checkNames(names: readonly string[]): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name))
      throw new RowcastError('unsupported_model', `two features have the name "${sanitize(name)}"`, {
        hint: 'LightGBM writes spaces as "_". Rename a column before training.',
      });
    seen.add(name);
  }
}

/** By feature, whether it has categories, and which values or codes the file knows. */
function candidatesOf(
  infos: readonly string[],
  trees: readonly ImportedTree[],
  parameter: readonly number[] | undefined,
  names: readonly string[],
): CategoryCandidate[] {
  const isNumber = new Uint8Array(infos.length);
  /** The largest code of a feature in a tree; -1 if it is not split by category. */
  const codes = new Int32Array(infos.length).fill(-1);
  const isSplit = new Uint8Array(infos.length);
  for (const { features, sets } of trees)
    features.forEach((feature, node) => {
      if (feature === -1) return;
      const set = sets.get(node);
      if (set === undefined) isNumber[feature] = 1;
      else {
        isSplit[feature] = 1;
        codes[feature] = Math.max(codes[feature] ?? -1, set.at(-1) ?? -1);
      }
    });
  const known = infos.map((info, feature) => {
    const isListed = info !== 'none' && !info.startsWith('[');
    if ((isListed || isSplit[feature] === 1) && isNumber[feature] === 1)
      throw new RowcastError(
        'unsupported_model',
        `"${sanitize(names[feature] ?? '')}" is a category in one tree and a number in another`,
        { hint: 'Train it in one go, with the same categorical_feature.' },
      );
    return isListed || isSplit[feature] === 1;
  });
  // The parameter also has constant columns, but for a column that is not counted it has other numbers.
  const named = new Set(parameter);
  const isTrue =
    parameter !== undefined &&
    known.every((is, feature) => !is || named.has(feature)) &&
    [...named].every(at => isNumber[at] === 0);
  return infos.map((info, feature) => {
    const isCategory = known[feature] === true || (isTrue && named.has(feature));
    // A constant column had a list if it is named, or if nothing is named.
    if (info === 'none' && isTrue && !isCategory) return { isCategory, range: NO_CODES };
    if (!known[feature]) return { isCategory, range: rangeOf(info) };
    const listedCodes = info.startsWith('[')
      ? []
      : info
          .split(':')
          .map(Number)
          .filter(code => code !== -1);
    const largest = listedCodes.reduce((most, code) => Math.max(most, code), codes[feature] ?? -1);
    const smallest = listedCodes.reduce((least, code) => Math.min(least, code), Math.max(largest, 0));
    if (!Number.isInteger(largest) || !Number.isInteger(smallest))
      throw new RowcastError('bad_model', `feature_infos has "${sanitize(info).slice(0, 40)}"`, {
        hint: 'Save the model again.',
      });
    return { isCategory, range: [smallest, Math.max(largest, 0)] };
  });
}

/** The range of a feature that cannot have had a list. */
const NO_CODES = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

/** The values of a number, as in `[0:2]`; undefined if it is unused. */
function rangeOf(info: string): readonly [number, number] | undefined {
  if (info === 'none') return undefined;
  const [, least, most] = /^\[([^:]+):([^:]+)\]$/.exec(info) ?? [];
  const range = [Number(least), Number(most)] as const;
  return range.some(Number.isNaN) ? NO_CODES : range;
}
