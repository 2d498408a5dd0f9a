import type { PredictionType } from '../../base/contract/predictions.ts';
import type { Dialect } from '../../base/parse-records.ts';
import { sanitize } from '../../base/sanitize.ts';
import { type ChosenProbabilities, readAppendedNumber } from '../../formats/appended.ts';
import { fieldTest } from './check-prediction.ts';

/** What is wrong with the appended fields of a row; `hint` replaces the default one. */
export interface Wrong {
  readonly wrong: string;
  readonly hint?: string;
}

/**
 * Finds what is wrong with the appended fields of a row, as latin1 and each after a delimiter; undefined if nothing is.
 */
export type FindWrong = (fields: string, areTexts?: readonly boolean[]) => Wrong | undefined;

/** Whether values have these types in the output, if that tells them. */
export const haveTypes = (
  areTexts: readonly boolean[] | undefined,
  isText: (column: number) => boolean,
): boolean =>
  areTexts === undefined || (areTexts.length > 0 && areTexts.every((is, column) => is === isText(column)));

interface ValuesOptions {
  /** Names of the columns; undefined if the output has no header. */
  names: readonly string[] | undefined;
  /** What the columns are called in messages. */
  labels: readonly string[];
  dialect: Dialect;
  /** Digits after the point of numbers. */
  decimals: number | undefined;
  areNumbers: boolean | undefined;
}

/**
 * Checks labels, which may be any text that is not empty, or numbers, which are finite and written as rowcast writes
 * them.
 *
 * @param kind undefined if a column is of one of these, but nothing tells of which
 * @returns undefined if a run with such predictions cannot have appended these columns
 */
export function valuesCheck(
  kind: Exclude<PredictionType['kind'], 'distribution'> | undefined,
  options: ValuesOptions,
): FindWrong | undefined {
  const { names, labels } = options;
  const isPossible =
    labels.length > 0 &&
    (names === undefined || isPredictedColumn(names) || (kind === 'numbers' && havePrefix(names)));
  if (!isPossible || (kind !== 'numbers' && labels.length > 1)) return undefined;
  switch (kind) {
    case 'label':
      return labelCheck(options);
    case 'numbers':
      return numbersCheck(options);
    case undefined:
      return firstRowCheck(options);
  }
}

function labelCheck({ labels, dialect }: ValuesOptions): FindWrong {
  const isField = fieldTest(dialect);
  const wrong = `${sanitize(labels[0] ?? '')} is not one label`;
  return (fields, areTexts) =>
    haveTypes(areTexts, () => true) && isField(fields.slice(dialect.delimiter.length))
      ? undefined
      : { wrong };
}

function numbersCheck(options: ValuesOptions): FindWrong {
  const { labels, dialect } = options;
  return (fields, areTexts) => {
    if (!haveTypes(areTexts, () => false)) return { wrong: 'a number is a text' };
    const texts = fields.split(dialect.delimiter).slice(1);
    if (texts.length !== labels.length)
      return { wrong: `there are ${texts.length} numbers for ${labels.length} columns` };
    const at = texts.findIndex(text => !isNumberField(text, options));
    if (at === -1) return undefined;
    const what = `${sanitize(labels[at] ?? '')} is "${sanitize(texts[at] ?? '')}"`;
    return { wrong: `${what}, not a finite number as rowcast writes it${withDecimals(texts[at] ?? '')}` };
  };
}

/**
 * The first row that was scored tells: labels may be any text, so a number that was damaged would pass as a label.
 * Labels of which only some are numbers are then reported, with the option that says what they are.
 */
function firstRowCheck(options: ValuesOptions): FindWrong {
  const { dialect } = options;
  const hint =
    'If the run predicted labels, of which only some are numbers, give --kind label. Otherwise one of the files was modified, or they do not belong together.';
  let check: FindWrong | undefined;
  return (fields, areTexts) => {
    const mayBeNumber =
      areTexts?.[0] !== true && isNumberField(fields.slice(dialect.delimiter.length), options);
    if (check === undefined && mayBeNumber) {
      const numbers = numbersCheck(options);
      check = (...others) => {
        const found = numbers(...others);
        return found && { ...found, hint };
      };
    }
    check ??= labelCheck(options);
    return check(fields, areTexts);
  };
}

/** How a run writes a number that ends in zeros, which `verify` must be told; empty if it does not. */
export const withDecimals = (text: string): string =>
  /\.\d*0$/.test(text) ? ` without --decimals ${text.length - text.indexOf('.') - 1}` : '';

/** Whether a text is a finite number as rowcast writes it. */
export const isNumberField = (
  text: string,
  shape: Pick<ChosenProbabilities, 'decimals' | 'areNumbers'>,
): boolean => Number.isFinite(Number(text)) && readAppendedNumber(Number(text), shape) === text;

/** Whether it is the only column, and named as a prediction is. */
export const isPredictedColumn = ([name = '', ...others]: readonly string[]): boolean =>
  others.length === 0 && (name === 'prediction' || name.startsWith('predicted_'));

/** Whether the columns may be named `<prefix>_<name>`. */
function havePrefix(names: readonly string[]): boolean {
  const [first = ''] = names;
  const end = first.indexOf('_') + 1;
  return end > 0 && names.every(name => name.startsWith(first.slice(0, end)));
}
