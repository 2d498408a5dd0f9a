import { type Predictions, sumsToOne } from '../../../base/contract/predictions.ts';
import { InvalidResponse, isObject, shapeOf } from '../../parse-response.ts';

/** A label with its value: DataRobot has a list of them for each row, and transformers a list with scores. */
export interface LabelledValue {
  label?: unknown;
  value?: unknown;
  score?: unknown;
}

/**
 * The value of a row whose shape says what it is: itself, or its `predictionValues`. A model that predicts a number has
 * only one of those.
 */
export function valueOfRow(row: unknown): unknown {
  if (!isObject(row) || !Array.isArray(row.predictionValues)) return row;
  const values: readonly unknown[] = row.predictionValues;
  const [only] = values;
  return values.length === 1 && isObject(only) ? only.value : values;
}

/**
 * What H2O, PyCaret and transformers call the label of a row, whose other members are its probabilities, or the score
 * of the label.
 */
const LABELS = ['predict', 'prediction', 'label', 'prediction_label', 'predicted_label'];

/**
 * The probabilities of rows that have a label next to them, or the labels of rows that have only its score too, as far
 * as the first object says so; otherwise the values as they are. A class may have the name of a label, so without known
 * classes, a number is a label only next to several probabilities.
 */
export function withoutLabels(
  values: readonly unknown[],
  classes: readonly string[] | undefined,
): readonly unknown[] {
  const first = values.find(isObject);
  const name = LABELS.find(each => Object.hasOwn(first ?? {}, each));
  if (first === undefined || name === undefined) return values;
  const { [name]: label, ...others } = first;
  const numbers = Object.values(others);
  const mayBeLabel = typeof label !== 'number' || Number.isInteger(label);
  if (
    classes === undefined
      ? numbers.length > 1 && mayBeLabel && isDistribution(numbers)
      : !classes.includes(name)
  )
    return values.map(value => {
      if (!isObject(value)) return value;
      const { [name]: _, ...own } = value;
      return own;
    });
  if (typeof label !== 'string' || numbers.length !== 1 || !numbers.every(isShare)) return values;
  return values.map(value => (isObject(value) && Object.hasOwn(value, name) ? value[name] : value));
}

/** A value that is alone in a list: some models return a list for each row whatever they predict. */
export const aloneIn = (value: unknown): unknown =>
  Array.isArray(value) && value.length === 1 ? value[0] : value;

/**
 * What the first value that is not null says that all predictions are. An object with numbers is a distribution if they
 * sum to 1; a list of several is one too, but does not name its classes.
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
  if (members.length === 0 || !members.every(isNumeric))
    throw new InvalidResponse(`prediction ${row + 1} is ${shapeOf(value)}, which is no prediction`);
  if (isDistribution(members)) return 'distribution';
  if (!Object.keys(Object(value)).some(name => ERROR.test(name))) return 'numbers';
  throw new InvalidResponse(`prediction ${row + 1} is ${shapeOf(value)}, which is an error`);
}

const isNumeric = (value: unknown): boolean => typeof value === 'number' || value === null;

const isShare = (value: unknown): boolean => isNumeric(value) && Number(value) >= 0 && Number(value) <= 1;

function isDistribution(members: readonly unknown[]): boolean {
  const sum = members.reduce<number>((total, member) => total + Number(member), 0);
  return members.every(isShare) && sumsToOne(sum, members.length);
}

/** A member of what a server says of an error, which is no number that a model predicts. */
const ERROR = /^(errors?|(error_?|status_?)?code|status|message|detail)$/i;
