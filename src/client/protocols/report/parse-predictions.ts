import { codePointOrder, type Predictions } from '../../../base/contract/predictions.ts';
import { sanitize } from '../../../base/sanitize.ts';
import type { Secrets } from '../../credentials.ts';
import { InvalidResponse, isObject, parseResponseText } from '../../parse-response.ts';
import {
  checkClassCount,
  checkCount,
  collectPredictions,
  copyProbabilities,
} from '../collect-predictions.ts';
import { type Expected, expectedClasses } from '../protocol.ts';
import { hasNumbers, readNumbers } from './read-numbers.ts';
import type { Wire } from './wire-names.ts';

export interface ExpectedPredictions extends Expected {
  /** The requested report; if the response names one, it must be this one. */
  report?: string;
  wire: Wire;
}

/**
 * Parses and validates a batch-persona response. It must hold as many predictions as personas, in order or numbered,
 * and if it names a report, the requested one. The first prediction tells whether all are probabilities or numbers;
 * see `readNumbers` for these. Probabilities must be of exactly the expected classes, in 0..1, and sum to 1 within
 * `tolerance`. A persona with invalid probabilities gets an error. If every persona is invalid, the whole response is
 * rejected, unless these rows are what is left after halving.
 *
 * @throws InvalidResponse
 */
export function parsePredictions(
  body: string,
  { report, wire, secrets, ...expected }: ExpectedPredictions,
): Predictions {
  const received = readPredictions(body, wire, report);
  checkCount(received.length, expected.personas);
  const predictions = inPersonaOrder(received, wire);
  const errorIn = ({ [wire.error]: error }: Record<string, unknown>) =>
    isObject(error)
      ? { code: errorCode(textOf(error.code, secrets)), message: sanitize(textOf(error.message, secrets)) }
      : undefined;
  if (areNumbers(predictions, wire)) return readNumbers(predictions, expected, errorIn);
  const known = expectedClasses(expected);
  const classes = known ?? firstClasses(predictions, wire);
  return collectPredictions(expected, classes, (index, into) => {
    const prediction = predictions[index];
    if (!isObject(prediction)) throw new InvalidResponse(`prediction ${index + 1} is not an object`);
    const own = prediction[wire.probabilities];
    if (isObject(own)) return copyProbabilities(own, index, classes, known !== undefined, into);
    const error = errorIn(prediction);
    if (error === undefined)
      throw new InvalidResponse(`prediction ${index + 1} has no "${wire.probabilities}"`);
    return error;
  });
}

/** Whether the first prediction that is no error has numbers: `value` or `values`, which no deployment renames. */
function areNumbers(predictions: readonly unknown[], wire: Wire): boolean {
  const first = predictions.find(
    prediction =>
      isObject(prediction) && (isObject(prediction[wire.probabilities]) || !isObject(prediction[wire.error])),
  );
  return isObject(first) && !isObject(first[wire.probabilities]) && hasNumbers(first);
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

function readPredictions(body: string, wire: Wire, report: string | undefined): unknown[] {
  const parsed = parseResponseText(body);
  const whole = isObject(parsed) ? parsed : {};
  const predictions = whole[wire.predictions];
  if (!Array.isArray(predictions))
    throw new InvalidResponse(`the response has no list "${wire.predictions}"`);
  checkReport(whole[wire.id], report);
  return predictions;
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
