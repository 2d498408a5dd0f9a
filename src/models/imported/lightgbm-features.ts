import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Categories, ImportedFeature, ImportedTree, SaidOfFeatures } from './imported-model.ts';
import { orderedAsCategories } from './ordered-categories.ts';
import {
  assignCategories,
  type CategoryCandidate,
  fits,
  possibleOthers,
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
 * @throws RowcastError `bad_model`, `unsupported_model`, `bad_option` for categories that a column cannot have
 */
export function describeFeatures(
  { names, infos }: { names: readonly string[]; infos: readonly string[] },
  sources: FeatureSources,
  read: readonly ImportedTree[],
  said: SaidOfFeatures,
): { features: ImportedFeature[]; trees: readonly ImportedTree[]; notes: string[] } {
  checkNames(names);
  const notes: string[] = [];
  const lists = readPandasCategories(sources.pandas ?? 'null');
  const candidates = candidatesOf(infos, read, sources.categories, names).map((candidate, at) => ({
    ...candidate,
    isText: said.texts.has(at),
    own: ownList(said.categories.get(at), candidate, names[at] ?? ''),
  }));
  const assigned = assignCategories(lists, candidates);
  const ordered = new Map<number, number>();
  const isPositions = names.every((name, at) => name === `Column_${at}`);
  const features = names.map((name, at): ImportedFeature => {
    const list = assigned[at];
    const { isCategory = false } = candidates[at] ?? {};
    if (!isCategory && list !== undefined && list !== 'unknown') ordered.set(at, list.length);
    let categories: Categories | undefined;
    if (list === 'unknown')
      categories = { kind: 'unknown', oneOf: assigned.flatMap((each, i) => (each === 'unknown' ? [i] : [])) };
    else if (list !== undefined) categories = { kind: 'listed', texts: new Map(list.entries()) };
    else if (isCategory && infos[at] !== 'none') categories = { kind: 'codes' };
    return isPositions
      ? { name: undefined, categories }
      : { name, ...(name.includes('_') && { hasUnderscores: true }), categories };
  });
  const others = possibleOthers(lists, candidates);
  if (others.length > 0 && ordered.size < others.length)
    notes.push(
      `Lists of categories belong to columns by their order. If ${listed(names, others)} had categories too, because they are ordered or categorical_feature was given by hand, that may be wrong: --expect finds out, --categories gives them.`,
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
  return { features, trees: orderedAsCategories(read, ordered), notes };
}

/**
 * The list that a person gave for a column; undefined if the library compares it as a number that is no code.
 *
 * @throws RowcastError `bad_option` if the model has more codes
 */
function ownList(
  list: readonly string[] | undefined,
  candidate: CategoryCandidate,
  name: string,
): readonly string[] | undefined {
  if (list === undefined || candidate.isCategory || fits(list, candidate)) return list;
  const [least, most] = candidate.range ?? [];
  if (!(Number.isInteger(most) && Number(least) >= 0)) return undefined;
  throw new RowcastError(
    'bad_option',
    `--categories has ${list.length} of the column "${sanitize(name)}", but the model has ${Number(most) + 1} or more`,
    { hint: 'Give all of them, in the order of the training.' },
  );
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
