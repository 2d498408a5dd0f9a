import { isDeepStrictEqual } from 'node:util';
import { MAX_CLASSES } from '../../../base/contract/limits.ts';
import { codePointOrder, type Numbers, numbersPerRow } from '../../../base/contract/predictions.ts';
import { counted, countOf } from '../../../base/number-text.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { InvalidResponse, isObject } from '../../parse-response.ts';
import { checkCount, type ServiceError } from '../collect-predictions.ts';
import type { Expected } from '../protocol.ts';

/** The error that stands in place of a prediction, if any does. */
type ErrorIn = (prediction: Record<string, unknown>) => ServiceError | undefined;

/** Whether a prediction is a number, `value`, or several by name, `values`. */
export const hasNumbers = (prediction: Record<string, unknown>): boolean =>
  'value' in prediction || 'values' in prediction;

/**
 * Reads the numbers of personas, in their order. The first one that is no error tells whether all have one or several.
 * Whether they are finite is checked by who uses them.
 *
 * @throws InvalidResponse
 */
export function readNumbers(predictions: readonly unknown[], expected: Expected, errorIn: ErrorIn): Numbers {
  const names = namesOf(predictions, expected);
  const width = numbersPerRow(names);
  const values = new Float64Array(expected.personas * width).fill(Number.NaN);
  const errors = readEach(predictions, expected, errorIn, (prediction, row) => {
    if (names.length === 0) {
      values[row] = numberOf(prediction.value, row);
      return;
    }
    const own = prediction.values;
    if (!isObject(own) || Object.keys(own).length !== names.length)
      throw otherKind(row, `has not the numbers ${sanitize(names.join(', '))}`);
    for (const [index, name] of names.entries()) values[row * width + index] = numberOf(own[name], row);
  });
  return { kind: 'numbers', names, values, errors };
}

/** A number; null, which JSON has in place of NaN, becomes NaN, so its row will be rejected. */
function numberOf(value: unknown, row: number): number {
  if (value === null) return Number.NaN;
  if (typeof value !== 'number') throw otherKind(row, 'has a value that is not a number');
  return value;
}

/** Names in the order of the output, else sorted by code point, as classes are; none of single numbers. */
function namesOf(predictions: readonly unknown[], { predictionType }: Expected): readonly string[] {
  const at = predictions.findIndex(prediction => isObject(prediction) && hasNumbers(prediction));
  const first = Object(predictions[at]);
  if ('value' in first) return [];
  const names = isObject(first.values) ? Object.keys(first.values).sort(codePointOrder) : [];
  if (names.length === 0) throw otherKind(at, 'has no numbers');
  if (names.length > MAX_CLASSES)
    throw new InvalidResponse(
      `a prediction has ${countOf(names.length, 'number')}; the limit is ${counted(MAX_CLASSES)}`,
    );
  if (predictionType?.kind !== 'numbers') return names;
  const isSame = isDeepStrictEqual(names, predictionType.names.toSorted(codePointOrder));
  return isSame ? predictionType.names : names;
}

/** Reads each prediction; returns the errors that stand in place of one. @throws InvalidResponse */
export function readEach(
  predictions: readonly unknown[],
  { personas }: Expected,
  errorIn: ErrorIn,
  read: (prediction: Record<string, unknown>, row: number) => void,
): Map<number, ServiceError> {
  checkCount(predictions.length, personas);
  const errors = new Map<number, ServiceError>();
  for (const [row, prediction] of predictions.entries()) {
    if (!isObject(prediction)) throw otherKind(row, 'is not an object');
    const error = errorIn(prediction);
    if (error === undefined) read(prediction, row);
    else errors.set(row, error);
  }
  return errors;
}

export const otherKind = (row: number, what: string): InvalidResponse =>
  new InvalidResponse(`prediction ${row + 1} ${what}`);
