import { RowcastError } from '../../base/errors.ts';
import { counted } from '../../base/number-text.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import { isMissingSpelling } from '../../formats/values/missing-values.ts';
import { MAX_LEVEL } from '../model/predictor-spec.ts';
import type { Categories, ImportedFeature, ImportedTree, Library } from './imported-model.ts';

/** @throws RowcastError `bad_option` for a column that has no categories */
export function checkCategories(
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

export interface Levels {
  texts: string[];
  /** By code, the numbers of its levels. */
  byCode: ReadonlyMap<number, readonly number[]>;
}

type CodeTexts = readonly (readonly [code: number, text: string])[];

/** @throws RowcastError `unsupported_model` */
export function categoryLevels(column: string, codes: CodeTexts): Levels {
  if (codes.length >= MAX_LEVEL)
    throw new RowcastError(
      'unsupported_model',
      `the column "${sanitize(column)}" has ${counted(codes.length)} categories; the limit is ${MAX_LEVEL - 1}`,
      { hint: 'Train it without the column, or merge rare categories.' },
    );
  const byCode = new Map<number, number[]>();
  for (const [index, [code]] of codes.entries()) byCode.set(code, [...(byCode.get(code) ?? []), index + 1]);
  return { texts: codes.map(([, text]) => text), byCode };
}

/**
 * Adds other spellings of numbers and booleans, which CatBoost knows as texts: `7` of a column that is `7.0` where it
 * has missing values, and `1` or `True` of one of booleans. What no tree of the column asks about changes nothing.
 */
export function withSpellings(codes: CodeTexts): CodeTexts {
  if (2 * codes.length + 8 > MAX_LEVEL) return codes;
  const byText = new Map(codes.map(([code, text]) => [text, code]));
  const hasBooleans = byText.has('0') && byText.has('1');
  const spellings = (text: string): string[] => [
    ...(/^-?\d+$/.test(text) ? [`${text}.0`] : []),
    ...(text === '1' && hasBooleans ? ['True', 'true'] : []),
    ...(text === '0' && hasBooleans ? ['False', 'false'] : []),
    ...(text === 'True' || text === 'False' ? [text.toLowerCase()] : []),
  ];
  for (const [code, text] of codes)
    for (const other of spellings(text)) if (!byText.has(other)) byText.set(other, code);
  return Array.from(byText, ([text, code]) => [code, text]);
}

interface CodesOf {
  trees: readonly ImportedTree[];
  feature: number;
  /** What a person says. */
  given: readonly string[] | undefined;
  /** The names of all columns of the model. */
  names: readonly string[];
}

/** @throws RowcastError `bad_option` */
export function codeTexts(
  column: string,
  categories: Categories,
  { trees, feature, given, names }: CodesOf,
): CodeTexts {
  if (categories.kind === 'listed' && given === undefined) return [...categories.texts];
  if (given !== undefined) {
    if (new Set(given).size !== given.length)
      throw new RowcastError('bad_option', `--categories has one twice of the column "${sanitize(column)}"`, {
        hint: 'Give each once, in the order of the training.',
      });
    const codeOf = categories.kind === 'codes' ? undefined : categories.codeOf;
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
  const { because, codeOf, oneOf = [] } = categories.kind === 'unknown' ? categories : {};
  if (oneOf.length > 1) {
    const several = formatList(oneOf.map(at => `"${names[at] ?? ''}"`));
    throw new RowcastError(
      'bad_option',
      `the file has lists of categories, but does not say which of the columns ${several} have them`,
      {
        hint: `Give the list of each of them that has one in pandas, in the order of X["…"].cat.categories: --categories COLUMN=A,B,C, or COLUMN=@FILE with one on each line.`,
      },
    );
  }
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

/** The highest category code in any split on a feature; -1 if no tree splits on it by category. */
function highestCode(trees: readonly ImportedTree[], feature: number): number {
  let highest = -1;
  for (const { features, sets } of trees)
    for (const [node, codes] of sets)
      if (features[node] === feature) for (const code of codes) highest = Math.max(highest, code);
  return highest;
}

/**
 * The code of an empty text, or of the only text with which Python may have filled missing values, because CatBoost
 * itself refuses them.
 */
export function codeOfEmpty(
  codes: CodeTexts,
  categories: Categories,
  library: Library,
): { code?: number | undefined; filled?: string } {
  const empty = codes.find(([, text]) => text === '');
  if (empty !== undefined) return { code: empty[0] };
  const [only, ...more] = library === 'CatBoost' ? codes.filter(([, text]) => isMissingSpelling(text)) : [];
  if (only !== undefined && more.length === 0) return { code: only[0], filled: only[1] };
  return { code: categories.kind === 'unknown' ? categories.codeOf?.('') : undefined };
}
