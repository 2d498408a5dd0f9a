import { RowcastError } from '../../base/errors.ts';
import { countOf } from '../../base/number-text.ts';
import { formatList, sanitize } from '../../base/sanitize.ts';
import type { ImportedFeature, SaidOfFeatures } from './imported-model.ts';
import { MLFLOW_FILE, type MlflowInput } from './mlflow.ts';

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
  /** What MLflow says of the columns. */
  signature?: readonly MlflowInput[] | undefined;
}

/** @throws RowcastError `bad_option` for names that nobody means */
export function checkNames(option: 'features' | 'classes', names: readonly string[]): void {
  const refuse = (what: string): never => {
    throw new RowcastError('bad_option', `--${option}: ${what}`, {
      hint: `Name each once, separated by commas; a name with a comma needs quotes: --${option} 'a,"b, c"'.`,
    });
  };
  if (names.some(name => name.trim() === '')) refuse('a name is empty');
  const trimmed = new Set<string>();
  for (const name of names) {
    if (trimmed.has(name.trim())) refuse(`"${sanitize(name)}" is there twice, or differs only by spaces`);
    trimmed.add(name.trim());
  }
}

/**
 * By feature, what MLflow says of its column; undefined if it says nothing, or a person names the columns.
 *
 * @throws RowcastError `bad_model` if the columns are others
 */
export function signatureOf(
  features: readonly ImportedFeature[],
  { features: given, signature }: ImportChoices,
): readonly MlflowInput[] | undefined {
  if (given !== undefined || signature === undefined) return undefined;
  const fail = (what: string): never => {
    throw new RowcastError('bad_model', `${MLFLOW_FILE}: the signature has ${what}`, {
      hint: WITHOUT_SIGNATURE,
    });
  };
  if (signature.length !== features.length)
    fail(`${countOf(signature.length, 'column')}, but the model has ${countOf(features.length, 'feature')}`);
  return features.map(({ name }, i) => {
    const found =
      name === undefined
        ? signature[i]
        : (signature.find(input => input.name === name) ??
          signature.find(input => underscored(input.name) === underscored(name)));
    return found ?? fail(`no column "${sanitize(name ?? '')}", which the model has`);
  });
}

const WITHOUT_SIGNATURE =
  'Give the file of the model in the folder, not the folder; if it has only positions, with --features.';

/** Types of MLflow whose values are numbers. */
const NUMBER_TYPES = new Set(['integer', 'long', 'float', 'double']);

/** @throws RowcastError `bad_model` if MLflow says that a column is of another type than in the model */
export function checkInputTypes(
  features: readonly ImportedFeature[],
  names: readonly string[],
  signature: readonly MlflowInput[] = [],
): void {
  for (const [index, { type }] of signature.entries()) {
    const categories = features[index]?.categories;
    const [first] = categories?.kind === 'listed' ? categories.texts.values() : [];
    const isWrong =
      type === 'string' ? categories === undefined : NUMBER_TYPES.has(type) && isNotNumber(first);
    if (isWrong)
      throw new RowcastError(
        'bad_model',
        `${MLFLOW_FILE}: the column "${sanitize(names[index] ?? '')}" is of the type ${sanitize(type)}, but the model has ${first === undefined ? 'numbers' : `categories such as "${sanitize(first)}"`}`,
        { hint: WITHOUT_SIGNATURE },
      );
  }
}

const isNotNumber = (text: string | undefined): boolean => text !== undefined && Number.isNaN(Number(text));

export function saidOf(
  names: readonly string[],
  { categories = {} }: ImportChoices,
  signature: readonly MlflowInput[] = [],
): SaidOfFeatures {
  const lists = Object.entries(categories).map(([name, list]) => [names.indexOf(name), list] as const);
  const texts = [...signature.entries()].flatMap(([at, { type }]) => (type === 'string' ? [at] : []));
  return { categories: new Map(lists), texts: new Set(texts) };
}

/** The columns of a model in the order of its features. @throws RowcastError `bad_option` */
export function columnNames(
  features: readonly ImportedFeature[],
  { features: given, header = [] }: ImportChoices,
  signature: readonly MlflowInput[] | undefined,
  notes: string[],
): string[] {
  if (given !== undefined) {
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
  if (signature !== undefined) {
    const others = signature.filter(({ name }, i) => name !== features[i]?.name);
    if (others.length > 0)
      notes.push(`Names are those of the signature of MLflow, such as "${sanitize(others[0]?.name ?? '')}".`);
    return signature.map(({ name }) => name);
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
