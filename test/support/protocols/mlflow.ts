import { codePointOrder } from '../../../src/base/contract/code-point-order.ts';
import type { Distributions, Labels, Numbers, Predictions } from '../../../src/base/contract/predictions.ts';
import { sanitize } from '../../../src/base/sanitize.ts';
import { layoutOf } from '../../../src/client/bodies/layout-of.ts';
import { InvalidResponse } from '../../../src/client/invalid-response.ts';
import {
  checkClassCount,
  checkCount,
  collectPredictions,
} from '../../../src/client/protocols/collect-predictions.ts';
import { copyProbabilities } from '../../../src/client/protocols/copy-probabilities.ts';
import { isObject } from '../../../src/client/protocols/is-object.ts';
import { problemIn } from '../../../src/client/protocols/problem-in.ts';
import { type Expected, expectedClasses, type Protocol } from '../../../src/client/protocols/protocol.ts';
import { parseJson } from '../../../src/client/transport/response-body.ts';
import type { ReceivedPredictions } from '../../../src/scoring/predictions.ts';

/**
 * The protocol of the scoring servers of MLflow 2 and 3. They serve one model, and say nothing about it. Rows are sent as
 * `dataframe_split`; a prediction is whatever the model returns: here probabilities, as an object by class or as a list in
 * the order of `--classes`; or a label; or a number.
 */
export const mlflow: Protocol = {
  name: 'mlflow',
  auth: 'bearer',
  ready: { method: 'GET', path: '/ping' },
  predict: () => ({
    request: { method: 'POST', path: '/invocations' },
    body: dataframeSplit,
    reader: () => ({ read: readPredictions }),
  }),
  problemOf: (_, body) =>
    problemIn(body, ({ error_code: code, message }) => ({
      code: typeof code === 'string' ? code.toLowerCase() : undefined,
      message,
    })),
  // The response to `ping` is a blank line.
  kindOf: body => (body.toString().trim() === '' ? 'description' : kindOfJson(body)),
};

const kindOfJson = (body: Buffer): 'predictions' | undefined =>
  Object(parseJson(body)).predictions === undefined ? undefined : 'predictions';

const dataframeSplit = layoutOf(
  { layout: 'arrays', body: { dataframe_split: { columns: '$columns', data: '$rows' } } },
  'null',
);

function readPredictions(body: Buffer, expected: Expected): ReceivedPredictions {
  const { predictions } = Object(parseJson(body)); // of unknown type, checked next
  if (!Array.isArray(predictions)) throw new InvalidResponse('the response has no list "predictions"');
  checkCount(predictions.length, expected.personas);
  switch (expected.predictionType?.kind ?? kindOfFirst(predictions)) {
    case 'distribution':
      return distributionsOf(predictions, expected);
    case 'label':
      return labelsOf(predictions);
    case 'numbers':
      return numbersOf(predictions);
  }
}

/** A model returns what it returned for the first row for all others, or null. */
function kindOfFirst(predictions: readonly unknown[]): Predictions['kind'] {
  const first = predictions.find(prediction => prediction !== null);
  if (typeof first === 'string') return 'label';
  return typeof first === 'number' ? 'numbers' : 'distribution';
}

function labelsOf(predictions: readonly unknown[]): Labels {
  const places = new Map<string, number>();
  const indices = Int32Array.from(predictions, (label, row) => {
    if (label === null) return -1;
    if (typeof label !== 'string') throw otherKind(label, row, 'label');
    const place = places.get(label) ?? places.size;
    places.set(label, place);
    return place;
  });
  return { kind: 'label', labels: [...places.keys()], indices, errors: new Map() };
}

function numbersOf(predictions: readonly unknown[]): Numbers {
  const values = Float64Array.from(predictions, (value, row) => {
    if (value === null) return Number.NaN;
    if (typeof value !== 'number') throw otherKind(value, row, 'number');
    return value;
  });
  return { kind: 'numbers', names: [], values, errors: new Map() };
}

const otherKind = (own: unknown, row: number, kind: string): InvalidResponse =>
  new InvalidResponse(`prediction ${row + 1} is no ${kind}: ${sanitize(JSON.stringify(own))}`);

function distributionsOf(predictions: readonly unknown[], expected: Expected): Distributions {
  const known = expectedClasses(expected);
  const isKnown = known !== undefined;
  const classes = known ?? classesOf(predictions);
  return collectPredictions(expected, classes, (row, into) => {
    const own: unknown = predictions[row];
    if (Array.isArray(own)) return copyProbabilities(byClass(own, classes), row, classes, isKnown, into);
    if (isObject(own)) return copyProbabilities(own, row, classes, isKnown, into);
    throw new InvalidResponse(`prediction ${row + 1} has no probabilities: ${sanitize(JSON.stringify(own))}`);
  });
}

function classesOf([first]: readonly unknown[]): string[] {
  if (!isObject(first))
    throw new InvalidResponse('the response does not name the classes; name them with --classes');
  const classes = Object.keys(first).sort(codePointOrder);
  checkClassCount(classes.length);
  return classes;
}

/** A list by class; one of another length has the classes 1, 2 … */
const byClass = (own: readonly unknown[], classes: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    own.map((value, at) => [own.length === classes.length ? (classes[at] ?? '') : String(at + 1), value]),
  );
