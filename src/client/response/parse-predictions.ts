import { codePointOrder } from '../../contract/class-order.ts';
import { MAX_CLASSES } from '../../contract/limits.ts';
import { type Predictions, sumsToOne } from '../../contract/predictions.ts';
import type { Wire } from '../../contract/wire-names.ts';
import { sanitize } from '../../sanitize.ts';

/** Predictions received from a service. */
export interface ReceivedPredictions extends Predictions {
  /** Ids of the responses' origins, unless the responses are known to belong to their requests. */
  readonly origins?: readonly number[];
}

/** A response that must not be merged (G4 in docs/design.md). */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';
  readonly classesChanged: boolean;

  constructor(message: string, changed = false) {
    super(message);
    this.classesChanged = changed;
  }
}

export interface ExpectedPredictions {
  /** Number of personas sent. */
  personas: number;
  /** The classes in the output header, once they are known. */
  classes: readonly string[] | undefined;
  /** Whether these rows are what is left after halving a batch: all of their predictions may be invalid. */
  isRest?: boolean;
  /** The requested report; if the response names one, it must be this one. */
  report?: string;
  wire: Wire;
  /** The API key: text from the service that contains it is not shown. */
  secret?: string;
}

/**
 * Parses and validates a batch-persona response. It must hold as many predictions as personas, in order or numbered, and
 * if it names a report, the requested one. Each prediction must have exactly the expected classes, with probabilities in
 * 0..1 that sum to 1 within `tolerance`. A persona with invalid probabilities gets an error. If every persona is invalid,
 * the whole response is rejected, unless these rows are what is left after halving.
 *
 * @throws InvalidResponse
 */
export function parsePredictions(
  body: string,
  { personas, classes, isRest, report, wire, secret }: ExpectedPredictions,
): ReceivedPredictions {
  const received = readPredictions(body, wire, report);
  if (received.length !== personas)
    throw new InvalidResponse(`${received.length} predictions came back for ${personas} personas`);
  const predictions = inPersonaOrder(received, wire);

  const errors = new Map<number, { code: string; message: string }>();
  const expected = classes ?? firstClasses(predictions, wire);
  const probabilities = new Float64Array(personas * expected.length);
  let firstFault: string | undefined;
  let faults = 0;
  for (let index = 0; index < personas; index++) {
    const prediction = predictions[index];
    if (!isObject(prediction)) throw new InvalidResponse(`prediction ${index + 1} is not an object`);
    const own = prediction[wire.probabilities];
    if (isObject(own)) {
      const fault = copyProbabilities(own, index, expected, classes !== undefined, probabilities);
      if (fault === undefined) continue;
      faults++;
      firstFault ??= `prediction ${index + 1}: ${fault}`;
      errors.set(index, { code: 'wrong_probabilities', message: fault });
      probabilities.fill(Number.NaN, index * expected.length, (index + 1) * expected.length);
    } else if (isObject(prediction[wire.error])) {
      const { code, message } = prediction[wire.error] as Record<string, unknown>; // isObject says so
      errors.set(index, {
        code: errorCode(textOf(code, secret)),
        message: sanitize(textOf(message, secret)),
      });
      probabilities.fill(Number.NaN, index * expected.length, (index + 1) * expected.length);
    } else throw new InvalidResponse(`prediction ${index + 1} has no "${wire.probabilities}"`);
  }
  if (firstFault !== undefined && faults === personas) {
    if (!isRest) throw new InvalidResponse(firstFault);
    // Classes seen only in invalid predictions must not become the header's.
    if (classes === undefined) return { classes: [], probabilities: new Float64Array(), errors };
  }
  return { classes: expected, probabilities, errors };
}

/** A member from the service as text, whatever its type. */
function textOf(said: unknown, secret: string | undefined): string {
  const text = typeof said === 'string' ? said : (JSON.stringify(said) ?? '');
  // Checked before the text is truncated, so that no part of the key can remain.
  return secret !== undefined && text.includes(secret) ? 'it contains the API key, so it is not shown' : text;
}

/** Error codes are used as counter keys, so free text (which could contain row values) is replaced by "error". */
const errorCode = (text: string): string => (/^[A-Za-z0-9][\w.-]{0,40}$/.test(text) ? text : 'error');

/** Copies a persona's probabilities; returns what is wrong with them, if anything. */
function copyProbabilities(
  own: Record<string, unknown>,
  index: number,
  classes: readonly string[],
  known: boolean,
  into: Float64Array,
): string | undefined {
  let sum = 0;
  let at = index * classes.length;
  for (const name of classes) {
    const probability = own[name];
    if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1)) {
      if (!Object.hasOwn(own, name)) throw otherClasses(own, index, classes, known);
      return `the probability of "${sanitize(name)}" is not a number in 0..1`;
    }
    into[at++] = probability;
    sum += probability;
  }
  if (countMembers(own) !== classes.length) throw otherClasses(own, index, classes, known);
  return sumsToOne(sum, classes.length) ? undefined : `the probabilities sum to ${sum}, not to 1`;
}

/** Number of members of an object; faster than `Object.keys`, which allocates a list. */
function countMembers(own: Record<string, unknown>): number {
  let members = 0;
  for (const _ in own) members++;
  return members;
}

function otherClasses(
  own: Record<string, unknown>,
  index: number,
  classes: readonly string[],
  known: boolean,
): InvalidResponse {
  const names = (list: readonly string[]): string => sanitize(list.join(', '));
  const message = `prediction ${index + 1} has the classes ${names(Object.keys(own))}, expected ${names(classes)}`;
  return new InvalidResponse(message, known);
}

function firstClasses(predictions: readonly unknown[], wire: Wire): string[] {
  for (const prediction of predictions) {
    const own = isObject(prediction) ? prediction[wire.probabilities] : undefined;
    if (!isObject(own)) continue;
    const classes = Object.keys(own);
    if (classes.length > MAX_CLASSES)
      throw new InvalidResponse(`the response has ${classes.length} classes; the limit is ${MAX_CLASSES}`);
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

function readPredictions(body: string, wire: Wire, report: string | undefined): unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw new InvalidResponse(`the response is not JSON: "${sanitize(body)}"`);
  }
  const whole = isObject(parsed) ? parsed : {};
  const predictions = whole[wire.predictions];
  if (!Array.isArray(predictions))
    throw new InvalidResponse(`the response has no list "${wire.predictions}"`);
  checkReport(whole[wire.id], report);
  return predictions;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
