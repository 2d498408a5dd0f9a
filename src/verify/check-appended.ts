import { sumsToOne } from '../contract/predictions.ts';
import { type ChosenProbabilities, predictedClass, thresholdsOf } from '../formats/csv/chosen-appended.ts';
import type { Dialect } from '../formats/csv/dialect.ts';
import { writeRow } from '../formats/csv/write-row.ts';
import { sanitize } from '../sanitize.ts';

/** The outcome of a row, or what is wrong with its appended fields. */
export type AppendedOutcome = 'scored' | 'unscored' | { readonly wrong: string };

/** Checks the fields appended to each row. */
export interface AppendedCheck {
  /** Whether other columns are before them. */
  readonly isAfterOthers: boolean;
  /** Whether the output has only one column, and so no blank lines. */
  readonly isAlone: boolean;
  /** @param bytes bytes of the output; `[start, end)` are the appended fields, with their leading delimiter if any */
  check(bytes: Buffer, start: number, end: number): AppendedOutcome;
}

/** The options of the run that decide what was appended. */
export interface AppendedShape extends ChosenProbabilities {
  isAfterOthers: boolean;
}

/** A possible interpretation of the appended column names. */
interface Layout {
  /** The classes of the probability columns, or as many empty names. */
  classes: readonly string[];
  /** The predicted column's field for each class, as latin1; `any` if they are not known; undefined without the column. */
  predicted: readonly string[] | 'any' | undefined;
}

/**
 * Creates a check of the appended fields: probabilities in 0..1 that sum to 1, each in its shortest decimal form, and
 * optionally the most likely class; or all of them empty. Options of the run may change each of these.
 *
 * The names may be ambiguous: the prefix may contain an underscore, and a probability column may be named predicted_….
 * Every interpretation remains possible until a row contradicts it.
 *
 * @param names undefined if the output has no header; then their number
 * @returns undefined if rowcast cannot have appended these names
 */
export function appendedCheck(
  names: readonly string[] | number,
  dialect: Dialect,
  shape: AppendedShape = { isAfterOthers: true },
): AppendedCheck | undefined {
  let layouts = typeof names === 'number' ? layoutsOfCount(names, shape) : layoutsOf(names, dialect, shape);
  const labels =
    typeof names === 'number'
      ? Array.from({ length: names }, (_, index) => `appended field ${index + 1}`)
      : names;
  if (layouts.length === 0) return undefined;
  const { delimiter, quote = '' } = dialect;
  const { isAfterOthers } = shape;
  const isAlone = !isAfterOthers && labels.length === 1;
  const empty = isAlone ? delimiter + quote + quote : delimiter.repeat(labels.length);
  return {
    isAfterOthers,
    isAlone,
    check(bytes, start, end) {
      // Numbers are ASCII, and latin1 allows comparing class names byte for byte.
      const fields = bytes.toString('latin1', start, end);
      const text = isAfterOthers ? fields : delimiter + fields;
      if (text === empty) return 'unscored';
      const [layout, ...others] = layouts;
      const wrong = layout && checkFields(text, layout, labels, delimiter, shape);
      if (others.length > 0)
        layouts = layouts.filter(each => checkFields(text, each, labels, delimiter, shape) === undefined);
      if (wrong !== undefined && (others.length === 0 || layouts.length === 0)) return { wrong };
      return 'scored';
    },
  };
}

function checkFields(
  text: string,
  { classes, predicted }: Layout,
  names: readonly string[],
  delimiter: string,
  shape: AppendedShape,
): string | undefined {
  const { decimals, probabilities: chosen = 'all' } = shape;
  const probabilities = new Float64Array(classes.length);
  let at = 0;
  let sum = 0;
  for (let index = 0; index < classes.length; index++) {
    if (text[at] !== delimiter)
      return at < text.length
        ? `unexpected "${sanitize(text.slice(at))}" after the probabilities`
        : `${sanitize(names[index] ?? '')} is missing`;
    const next = text.indexOf(delimiter, at + 1);
    const end = next === -1 ? text.length : next;
    const field = text.slice(at + 1, end);
    const probability = Number(field);
    const written = decimals === undefined ? String(probability) : probability.toFixed(decimals);
    if (written !== field || !(probability >= 0 && probability <= 1))
      return `${sanitize(names[index] ?? '')} is ${describeField(field, written)}`;
    sum += probability;
    probabilities[index] = probability;
    at = end;
  }
  const rounded = decimals === undefined ? 0 : (classes.length / 2) * 10 ** -decimals;
  const isSum = sumsToOne(sum, classes.length) || Math.abs(sum - 1) <= rounded;
  if (chosen === 'all' ? !isSum : !isSum && sum > 1 + rounded)
    return `the probabilities sum to ${sum}, not to 1`;
  if (predicted === undefined)
    return at === text.length ? undefined : 'the row has more fields than the header';
  if (text[at] === delimiter && isPrediction(text.slice(at + 1), predicted, classes, probabilities, shape))
    return undefined;
  const what = shape.threshold === undefined ? 'most likely class' : 'class that the thresholds predict';
  return `${sanitize(names.at(-1) ?? '')} is not the ${what}`;
}

function isPrediction(
  field: string,
  predicted: readonly string[] | 'any',
  classes: readonly string[],
  probabilities: Float64Array,
  { decimals, threshold }: AppendedShape,
): boolean {
  if (predicted === 'any') return field !== '';
  if (decimals === undefined)
    return field === predicted[predictedClass(probabilities, 0, thresholdsOf(classes, threshold))];
  // Rounded probabilities may be equal, or reach a threshold that the exact ones do not.
  const most = Math.max(...probabilities);
  return predicted.some(
    (name, index) => name === field && (threshold !== undefined || probabilities[index] === most),
  );
}

function describeField(field: string, written: string): string {
  const probability = Number(field);
  if (field.trim() === '') return 'empty, but other appended fields are not';
  if (!(probability >= 0 && probability <= 1)) return `"${sanitize(field)}", not a number in 0..1`;
  return `written as "${sanitize(field)}", not as ${written}`;
}

function layoutsOf(names: readonly string[], dialect: Dialect, { probabilities }: AppendedShape): Layout[] {
  const latin1 = (name: string): string =>
    Buffer.from(writeRow([name], dialect).slice(0, -1)).toString('latin1');
  const count = countOf(probabilities);
  const isPredicted = names.at(-1)?.startsWith('predicted_') ?? false;
  if (count === 0) return isPredicted && names.length === 1 ? [{ classes: [], predicted: 'any' }] : [];
  const layouts: Layout[] = [];
  const classesOf = (columns: readonly string[], prefix: string): string[] =>
    columns.map(name => name.slice(prefix.length + 1));
  const before = names.slice(0, -1);
  if (isPredicted)
    for (const prefix of prefixesOf(before)) {
      const classes = classesOf(before, prefix);
      layouts.push({ classes, predicted: count === undefined ? classes.map(latin1) : 'any' });
    }
  const [prefix] = prefixesOf(names);
  if (prefix !== undefined) layouts.push({ classes: classesOf(names, prefix), predicted: undefined });
  return layouts;
}

/** The possible interpretations of this many fields without names. */
function layoutsOfCount(fields: number, { probabilities }: AppendedShape): Layout[] {
  const count = countOf(probabilities);
  const layouts = [
    { classes: fields, predicted: undefined },
    { classes: fields - 1, predicted: 'any' as const },
  ];
  return layouts
    .filter(({ classes }) => (count === undefined ? classes > 0 : classes === count))
    .map(({ classes, predicted }) => ({ classes: Array.from({ length: classes }, () => ''), predicted }));
}

/** The number of classes whose probabilities were chosen; undefined for all. */
function countOf(probabilities: ChosenProbabilities['probabilities'] = 'all'): number | undefined {
  if (probabilities === 'all') return undefined;
  return probabilities === 'none' ? 0 : new Set(probabilities).size;
}

/** The possible prefixes of names of the form `<prefix>_<class>`. */
function prefixesOf(names: readonly string[]): string[] {
  const [first, ...others] = names;
  if (first === undefined) return [];
  return [...first.matchAll(/_/g)]
    .map(({ index }) => first.slice(0, index))
    .filter(prefix => others.every(name => name.startsWith(`${prefix}_`)));
}
