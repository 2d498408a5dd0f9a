import { isUtf8 } from 'node:buffer';
import { type PredictionType, sumsToOne } from '../../base/contract/predictions.ts';
import type { Dialect } from '../../base/parse-records.ts';
import { sanitize } from '../../base/sanitize.ts';
import { type ChosenProbabilities, DEFAULT_PREFIX, readAppendedNumber } from '../../formats/appended.ts';
import type { AppendedAt } from '../../formats/comparison.ts';
import { type PredictionCheck, predictionCheck } from './check-prediction.ts';
import {
  type FindWrong,
  haveTypes,
  isNumberField,
  isPredictedColumn,
  valuesCheck,
  type Wrong,
  withDecimals,
} from './check-values.ts';

/** The outcome of a row, or what is wrong with its appended fields. */
export type AppendedOutcome = 'scored' | 'unscored' | Wrong;

/** Checks the fields appended to each row. */
export interface AppendedCheck {
  /** Whether other columns are before them. */
  readonly isAfterOthers: boolean;
  /** Whether the output has only one column, and so no blank lines. */
  readonly isAlone: boolean;
  /** @param fields with their leading delimiter, if any */
  check(fields: AppendedAt): AppendedOutcome;
}

/** The options of the run that decide what was appended. */
export interface AppendedShape extends ChosenProbabilities {
  isAfterOthers: boolean;
  /** The --prefix that the run had. */
  prefix?: string | undefined;
  /**
   * What each prediction is. By default, a label or a number if only one column is appended that is named as such a
   * prediction is, else a distribution: that and several numbers have names alike.
   */
  kind?: PredictionType['kind'] | undefined;
  /** Whether the run appended the predicted class to probabilities; by default, what the columns tell. */
  prediction?: boolean | undefined;
}

/**
 * Creates a check of the appended fields: probabilities in 0..1 that sum to 1, each in its shortest decimal form, and
 * optionally the most likely class; or what `valuesCheck` checks; or all of them empty. Options of the run may change
 * each of these.
 *
 * @param names undefined if the output has no header; then their number
 * @returns undefined if rowcast cannot have appended these names
 */
export function appendedCheck(
  names: readonly string[] | number,
  dialect: Dialect,
  shape: AppendedShape = { isAfterOthers: true },
): AppendedCheck | undefined {
  const labels =
    typeof names === 'number'
      ? Array.from({ length: names }, (_, index) => `appended field ${index + 1}`)
      : names;
  const { kind, decimals, areNumbers, isAfterOthers } = shape;
  const findWrong =
    kind === 'distribution' || (kind === undefined && !isOneValue(names, shape))
      ? probabilitiesCheck(names, labels, dialect, shape)
      : valuesCheck(kind, {
          names: typeof names === 'number' ? undefined : names,
          labels,
          dialect,
          decimals,
          areNumbers,
        });
  if (findWrong === undefined) return undefined;
  const { delimiter, quote = '' } = dialect;
  const isAlone = !isAfterOthers && labels.length === 1;
  // Where a missing value is none, an empty line is a row.
  const quotes = areNumbers === true ? '' : quote + quote;
  const empty = isAlone ? delimiter + quotes : delimiter.repeat(labels.length);
  return {
    isAfterOthers,
    isAlone,
    check({ bytes, start, contentEnd, areTexts }) {
      // Numbers are ASCII, and latin1 allows comparing class names byte for byte.
      const fields = bytes.toString('latin1', start, contentEnd);
      const text = isAfterOthers ? fields : delimiter + fields;
      if (text === empty && areTexts?.includes(true) !== true) return 'unscored';
      if (BEYOND_ASCII.test(fields) && !isUtf8(bytes.subarray(start, contentEnd)))
        return { wrong: 'the appended fields are not UTF-8' };
      return findWrong(text, areTexts) ?? 'scored';
    },
  };
}

const BEYOND_ASCII = /[\x80-\xff]/;

/** Whether the only appended column is that of a label or a number: a predicted class needs options to be alone. */
function isOneValue(names: readonly string[] | number, shape: AppendedShape): boolean {
  const { probabilities, threshold, prediction, prefix = DEFAULT_PREFIX } = shape;
  if (probabilities !== undefined || threshold !== undefined || prediction === true) return false;
  if (typeof names === 'number') return names === 1;
  return isPredictedColumn(names) && !names[0]?.startsWith(`${prefix}_`);
}

/**
 * The names may be ambiguous: the prefix may contain an underscore, and a probability column may be named predicted_….
 * Every interpretation remains possible until a row contradicts it.
 */
function probabilitiesCheck(
  names: readonly string[] | number,
  labels: readonly string[],
  dialect: Dialect,
  shape: AppendedShape,
): FindWrong | undefined {
  // Thresholds append it in any case.
  const prediction = shape.threshold === undefined ? shape.prediction : true;
  let layouts = layoutsOf(names, dialect, shape).filter(
    ({ isPrediction }) => prediction === undefined || (isPrediction !== undefined) === prediction,
  );
  if (layouts.length === 0) return undefined;
  const { delimiter } = dialect;
  return (fields, areTexts) => {
    const [layout, ...others] = layouts;
    const wrongIn = (each: Layout): string | undefined =>
      haveTypes(areTexts, column => column >= each.probabilities)
        ? checkFields(fields, each, labels, delimiter, shape)
        : `the type of ${labels.map(label => sanitize(label)).join(' or ')} is not that of a run`;
    const wrong = layout && wrongIn(layout);
    if (others.length > 0) layouts = layouts.filter(each => wrongIn(each) === undefined);
    if (wrong === undefined || (others.length > 0 && layouts.length > 0)) return undefined;
    const mayBeNumbers =
      shape.kind === undefined &&
      fields
        .split(delimiter)
        .slice(1)
        .every(text => isNumberField(text, shape));
    return mayBeNumbers ? { wrong, hint: NUMBERS_HINT } : { wrong };
  };
}

const NUMBERS_HINT =
  'If the run predicted numbers, give --kind numbers. Otherwise one of the files was modified, or they do not belong together.';

function checkFields(
  text: string,
  { probabilities: count, isPrediction }: Layout,
  names: readonly string[],
  delimiter: string,
  shape: AppendedShape,
): string | undefined {
  const { decimals, probabilities: chosen = 'all' } = shape;
  const probabilities = new Float64Array(count);
  let at = 0;
  let sum = 0;
  for (let index = 0; index < count; index++) {
    if (text[at] !== delimiter)
      return at < text.length
        ? `unexpected "${sanitize(text.slice(at))}" after the probabilities`
        : `${sanitize(names[index] ?? '')} is missing`;
    const next = text.indexOf(delimiter, at + 1);
    const end = next === -1 ? text.length : next;
    const field = text.slice(at + 1, end);
    const probability = Number(field);
    const written = readAppendedNumber(probability, shape);
    if (written !== field || !(probability >= 0 && probability <= 1))
      return `${sanitize(names[index] ?? '')} is ${describeField(field, written)}`;
    sum += probability;
    probabilities[index] = probability;
    at = end;
  }
  const rounded = decimals === undefined ? 0 : (count / 2) * 10 ** -decimals;
  const isSum = sumsToOne(sum, count) || Math.abs(sum - 1) <= rounded;
  if (chosen === 'all' ? !isSum : !isSum && sum > 1 + rounded)
    return `the probabilities sum to ${sum}, not to 1`;
  if (isPrediction === undefined)
    return at === text.length ? undefined : 'the row has more fields than the header';
  if (text[at] === delimiter && isPrediction(text.slice(at + 1), probabilities)) return undefined;
  return `${sanitize(names.at(-1) ?? '')} is not ${describePrediction(shape)}`;
}

function describePrediction({ probabilities = 'all', threshold }: AppendedShape): string {
  if (threshold !== undefined) return 'the class that the thresholds predict';
  return probabilities === 'all' ? 'the most likely class' : 'a class that can be the most likely one';
}

function describeField(field: string, written: string): string {
  const probability = Number(field);
  if (field.trim() === '') return 'empty, but other appended fields are not';
  if (!(probability >= 0 && probability <= 1)) return `"${sanitize(field)}", not a number in 0..1`;
  return `written as "${sanitize(field)}", not as ${written}${withDecimals(field)}`;
}

/** A possible interpretation of the appended columns. */
interface Layout {
  /** Number of the probability columns. */
  probabilities: number;
  /** Undefined without a predicted column. */
  isPrediction: PredictionCheck | undefined;
}

/**
 * The possible interpretations of the appended columns, of which only the number may be known: the prefix may contain an
 * underscore, and a probability column may be named predicted_….
 */
function layoutsOf(
  names: readonly string[] | number,
  dialect: Dialect,
  chosen: ChosenProbabilities,
): Layout[] {
  const listed = listedOf(chosen);
  const isUnnamed = typeof names === 'number';
  const areKnown = !isUnnamed || listed !== undefined;
  const layouts: Layout[] = [];
  if (isUnnamed || names.at(-1)?.startsWith('predicted_'))
    for (const classes of classesOf(isUnnamed ? names - 1 : names.slice(0, -1), listed)) {
      const shown = { classes, areKnown, areAll: listed === undefined };
      layouts.push({ probabilities: classes.length, isPrediction: predictionCheck(shown, dialect, chosen) });
    }
  // With thresholds the prediction is always appended, and something is.
  const [classes] = classesOf(names, listed);
  const alone = { probabilities: classes?.length ?? 0, isPrediction: undefined };
  if (alone.probabilities === 0 || chosen.threshold !== undefined) return layouts;
  // Without names, what is appended by default comes first.
  return isUnnamed ? [alone, ...layouts] : [...layouts, alone];
}

/** The classes whose probabilities were chosen; undefined for all. */
function listedOf({ probabilities = 'all' }: ChosenProbabilities): readonly string[] | undefined {
  if (probabilities === 'all') return undefined;
  return probabilities === 'none' ? [] : [...new Set(probabilities)];
}

/** The classes that columns `<prefix>_<class>` may stand for; empty names if only the number of columns is known. */
function classesOf(
  names: readonly string[] | number,
  listed: readonly string[] | undefined,
): (readonly string[])[] {
  if (typeof names === 'number') {
    if (listed !== undefined) return names === listed.length ? [listed] : [];
    return names > 0 ? [Array.from({ length: names }, () => '')] : [];
  }
  const [first] = names;
  if (listed?.length === 0) return names.length === 0 ? [[]] : [];
  if (first === undefined) return [];
  const prefixes = [...first.matchAll(/_/g)].map(({ index }) => first.slice(0, index + 1));
  const classes = prefixes
    .filter(prefix => names.every(name => name.startsWith(prefix)))
    .map(prefix => names.map(name => name.slice(prefix.length)));
  if (listed === undefined) return classes;
  return classes.filter(
    found => found.length === listed.length && found.every((name, index) => name === listed[index]),
  );
}
