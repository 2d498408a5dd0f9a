import type { PredictionType } from '../../base/contract/predictions.ts';
import type { Dialect } from '../../base/parse-records.ts';
import { sanitize } from '../../base/sanitize.ts';
import { fieldTest } from './check-prediction.ts';

/** What is wrong with the appended fields of a row, as latin1 and each after a delimiter; undefined if nothing is. */
export type FindWrong = (fields: string) => string | undefined;

/**
 * Checks labels, which may be any text that is not empty, or numbers, which are finite and in their shortest decimal form.
 *
 * @param names of the columns; undefined if the output has no header
 * @param labels what the columns are called in messages
 * @returns undefined if a run with such predictions cannot have appended these columns
 */
export function valuesCheck(
  kind: Exclude<PredictionType['kind'], 'distribution'>,
  names: readonly string[] | undefined,
  labels: readonly string[],
  dialect: Dialect,
): FindWrong | undefined {
  const isPossible =
    labels.length > 0 &&
    (names === undefined || isPredicted(names) || (kind === 'numbers' && havePrefix(names)));
  if (!isPossible || (kind === 'label' && labels.length > 1)) return undefined;
  const { delimiter } = dialect;
  if (kind === 'label') {
    const isField = fieldTest(dialect);
    return fields =>
      isField(fields.slice(delimiter.length)) ? undefined : `${sanitize(labels[0] ?? '')} is not one label`;
  }
  return fields => {
    const texts = fields.split(delimiter).slice(1);
    if (texts.length !== labels.length)
      return `there are ${texts.length} numbers for ${labels.length} columns`;
    const at = texts.findIndex(text => !isWritten(text));
    if (at === -1) return undefined;
    return `${sanitize(labels[at] ?? '')} is "${sanitize(texts[at] ?? '')}", not a finite number as rowcast writes it`;
  };
}

const isWritten = (text: string): boolean => Number.isFinite(Number(text)) && String(Number(text)) === text;

/** Whether it is the only column, and named as a prediction is. */
const isPredicted = ([name = '', ...others]: readonly string[]): boolean =>
  others.length === 0 && (name === 'prediction' || name.startsWith('predicted_'));

/** Whether the columns may be named `<prefix>_<name>`. */
function havePrefix(names: readonly string[]): boolean {
  const [first = ''] = names;
  const end = first.indexOf('_') + 1;
  return end > 0 && names.every(name => name.startsWith(first.slice(0, end)));
}
