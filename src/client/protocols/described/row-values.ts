import { type Predictions, sumsToOne } from '../../../base/contract/predictions.ts';
import { InvalidResponse } from '../../invalid-response.ts';
import { isObject } from '../is-object.ts';
import { shapeOf } from './shape-of.ts';

/** A label with its value: DataRobot has a list of them for each row. */
export interface LabelledValue {
  label?: unknown;
  value?: unknown;
}

/**
 * The value of a row whose shape says what it is: itself, or its `predictionValues`. A model that predicts a number has only
 * one of those.
 */
export function valueOfRow(row: unknown): unknown {
  if (!isObject(row) || !Array.isArray(row.predictionValues)) return row;
  const values: readonly unknown[] = row.predictionValues;
  const [only] = values;
  return values.length === 1 && isObject(only) ? only.value : values;
}

/** A value that is alone in a list: some models return a list for each row whatever they predict. */
export const aloneIn = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? value[0] : value;

/**
 * What the first value that is not null says that all predictions are. An object with numbers is a distribution if they sum
 * to 1; a list of several is one too, but does not name its classes.
 *
 * @returns undefined if all are null
 * @throws InvalidResponse
 */
export function kindOfValues(values: readonly unknown[]): Predictions['kind'] | undefined {
  const row = values.findIndex(value => value !== null);
  if (row === -1) return undefined;
  const value = aloneIn(values[row]);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return 'label';
    case 'number':
      return 'numbers';
  }
  if (Array.isArray(value)) return 'distribution';
  const members = isObject(value) ? Object.values(value) : [];
  if (members.length === 0 || !members.every(member => typeof member === 'number' || member === null))
    throw new InvalidResponse(`prediction ${row + 1} is ${shapeOf(value)}, which is no prediction`);
  const sum = members.reduce<number>((total, member) => total + Number(member), 0);
  const isShare = (member: unknown): boolean => Number(member) >= 0 && Number(member) <= 1;
  return members.every(isShare) && sumsToOne(sum, members.length) ? 'distribution' : 'numbers';
}
