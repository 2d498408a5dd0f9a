import { isDeepStrictEqual } from 'node:util';
import {
  codePointOrder,
  type Labels,
  type Numbers,
  type Predictions,
} from '../../../base/contract/predictions.ts';
import { sanitize } from '../../../base/sanitize.ts';
import type { Secrets } from '../../credentials.ts';
import { InvalidResponse, isObject, parseResponseText } from '../../parse-response.ts';
import {
  checkClassCount,
  checkCount,
  collectPredictions,
  copyProbabilities,
  type ServiceError,
} from '../collect-predictions.ts';
import { numberNames, readLabels, readNumbers } from '../described/read-predictions.ts';
import { type Expected, expectedClasses } from '../protocol.ts';
import type { Wire } from './wire-names.ts';

export interface ExpectedPredictions extends Expected {
  /** The requested report; if the response names one, it must be this one. */
  report?: string;
  wire: Wire;
}

/**
 * Parses and validates a batch-persona response; if it names a report, that must be the requested one.
 *
 * @throws InvalidResponse
 */
export function parsePredictions(body: string, { report, ...expected }: ExpectedPredictions): Predictions {
  const { wire } = expected;
  const parsed = parseResponseText(body);
  const whole = isObject(parsed) ? parsed : {};
  checkReport(whole[wire.id], report);
  return readPersonas(whole[wire.predictions], expected, ['value', 'values']);
}

/** The members of predictions that are not distributions. No deployment renames them. */
type ValueMember = 'label' | 'value' | 'values';

/**
 * Validates the predictions of personas: as many as there are personas, in order or, from a service, numbered. The
 * first one that is no error tells whether all are probabilities, or have another of these members. Probabilities must
 * be of exactly the expected classes, in 0..1, and sum to 1 within `tolerance`. A persona with invalid probabilities
 * gets an error. If every persona is invalid, all are rejected, unless these rows are what is left after halving.
 * Whether numbers are finite is checked by who uses them.
 *
 * @throws InvalidResponse
 */
export function readPersonas(
  received: unknown,
  { wire, secrets, ...expected }: Omit<ExpectedPredictions, 'report'>,
  members: readonly ValueMember[],
): Predictions {
  if (!Array.isArray(received)) throw new InvalidResponse(`the response has no list "${wire.predictions}"`);
  checkCount(received.length, expected.personas);
  const predictions = members.includes('label') ? received : inPersonaOrder(received, wire);
  const errorIn = ({ [wire.error]: error }: Record<string, unknown>): ServiceError | undefined =>
    isObject(error)
      ? { code: errorCode(textOf(error.code, secrets)), message: sanitize(textOf(error.message, secrets)) }
      : undefined;
  const hasProbabilities = (prediction: Record<string, unknown>): boolean =>
    isObject(prediction[wire.probabilities]);
  const first = predictions.find(
    (prediction): prediction is Record<string, unknown> =>
      isObject(prediction) && (hasProbabilities(prediction) || !isObject(prediction[wire.error])),
  );
  const member = first && !hasProbabilities(first) && members.find(name => first[name] !== undefined);
  if (member) return readValues(predictions, member, expected, errorIn);
  const known = expectedClasses(expected);
  const classes = known ?? firstClasses(predictions, wire);
  return collectPredictions(expected, classes, (index, into) => {
    const prediction = objectAt(predictions, index);
    const own = prediction[wire.probabilities];
    if (isObject(own)) return copyProbabilities(own, index, classes, known !== undefined, into);
    const error = errorIn(prediction);
    if (error === undefined)
      throw new InvalidResponse(`prediction ${index + 1} has no "${wire.probabilities}"`);
    return error;
  });
}

function objectAt(predictions: readonly unknown[], index: number): Record<string, unknown> {
  const prediction = predictions[index];
  if (isObject(prediction)) return prediction;
  throw new InvalidResponse(`prediction ${index + 1} is not an object`);
}

/** The labels or numbers in this member of each prediction. */
function readValues(
  predictions: readonly unknown[],
  member: ValueMember,
  { predictionType }: Expected,
  errorIn: (prediction: Record<string, unknown>) => ServiceError | undefined,
): Labels | Numbers {
  const errors = new Map<number, ServiceError>();
  const values = predictions.map((_, row) => {
    const prediction = objectAt(predictions, row);
    const error = errorIn(prediction);
    if (error === undefined) return prediction[member];
    errors.set(row, error);
    return null;
  });
  if (member === 'label') return { ...readLabels(values, { isKnown: false, mayBeNumbers: false }), errors };
  const names = member === 'value' ? [] : namesIn(values, predictionType);
  return { ...readNumbers(values, names, false), errors };
}

/** Names in the order of the output, else sorted by code point, as classes are. */
function namesIn(values: readonly unknown[], predictionType: Expected['predictionType']): readonly string[] {
  const first = values.findIndex(value => value !== null);
  const names = numberNames(values[first]);
  if (names.length === 0) throw new InvalidResponse(`prediction ${first + 1 || 1} has no numbers`);
  if (predictionType?.kind !== 'numbers') return names;
  const isSame = isDeepStrictEqual(names, predictionType.names.toSorted(codePointOrder));
  return isSame ? predictionType.names : names;
}

/** A member from the service as text, whatever its type. */
function textOf(said: unknown, secrets: Secrets | undefined): string {
  const text = typeof said === 'string' ? said : (JSON.stringify(said) ?? '');
  // Checked before the text is truncated, so that no part of a secret can remain.
  return secrets?.areIn(text) ? 'it contains the API key or another secret, so it is not shown' : text;
}

/** Error codes are used as counter keys, so free text (which could contain row values) is replaced by "error". */
const errorCode = (text: string): string => (/^[A-Za-z0-9][\w.-]{0,40}$/.test(text) ? text : 'error');

function firstClasses(predictions: readonly unknown[], wire: Wire): string[] {
  for (const prediction of predictions) {
    const own = isObject(prediction) ? prediction[wire.probabilities] : undefined;
    if (!isObject(own)) continue;
    const classes = Object.keys(own);
    checkClassCount(classes.length);
    return classes.sort(codePointOrder);
  }
  return [];
}

/** Some services number their predictions with this member. */
export const indexMember = 'index';

/**
 * Puts predictions in the order of their personas. If they are numbered, the numbers must be complete, starting at 0
 * or 1.
 */
function inPersonaOrder(predictions: unknown[], wire: Wire): unknown[] {
  const isNumbered = (prediction: unknown): boolean =>
    isObject(prediction) && Object.hasOwn(prediction, indexMember);
  if (wire.probabilities === indexMember || wire.error === indexMember) return predictions;
  if (!predictions.some(isNumbered)) return predictions;
  const numbers = predictions.map(prediction => (isObject(prediction) ? prediction[indexMember] : undefined));
  const first = numbers.includes(0) ? 0 : 1;
  const ordered = new Map(numbers.map((number, at) => [number, predictions[at]]));
  return predictions.map((_, at) => {
    if (ordered.has(first + at)) return ordered.get(first + at);
    throw new InvalidResponse(
      `the "${indexMember}" members are not the numbers of ${predictions.length} personas: ${first + at} is missing`,
    );
  });
}

/** @throws InvalidResponse if the response names a different report than the requested one */
export function checkReport(named: unknown, report: string | undefined): void {
  const isNamed = typeof named === 'string' || typeof named === 'number';
  if (report === undefined || !isNamed || String(named) === report) return;
  throw new InvalidResponse(
    `the response is from report "${sanitize(String(named))}", not "${sanitize(report)}"`,
  );
}
