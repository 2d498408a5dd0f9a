import { MAX_CLASSES } from '../../base/contract/limits.ts';
import { type Distributions, sumsToOne } from '../../base/contract/predictions.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { InvalidResponse } from '../parse-response.ts';
import { type Expected, expectedClasses } from './protocol.ts';

/** Why a service has no prediction for a row. */
export interface ServiceError {
  code: string;
  message: string;
}

/**
 * Collects the predictions of a batch. A row whose probabilities are invalid gets an error. If those of every row are,
 * so is the response, unless these rows are what is left after halving.
 *
 * @param classes the expected ones, or those of the first prediction
 * @param copy copies the probabilities of a row, in the order of the classes; returns what is wrong with them, or the
 *   error that the service gives in their place
 * @throws InvalidResponse
 */
export function collectPredictions(
  expected: Expected,
  classes: readonly string[],
  copy: (row: number, into: Float64Array) => string | ServiceError | undefined,
): Distributions {
  const { personas, allowAllInvalid } = expected;
  const kind = 'distribution';
  const errors = new Map<number, ServiceError>();
  const probabilities = new Float64Array(personas * classes.length);
  let firstFault: string | undefined;
  let faults = 0;
  for (let row = 0; row < personas; row++) {
    const wrong = copy(row, probabilities);
    if (wrong === undefined) continue;
    probabilities.fill(Number.NaN, row * classes.length, (row + 1) * classes.length);
    if (typeof wrong === 'string') {
      faults++;
      firstFault ??= `prediction ${row + 1}: ${wrong}`;
    }
    errors.set(row, typeof wrong === 'string' ? { code: 'wrong_probabilities', message: wrong } : wrong);
  }
  if (firstFault !== undefined && faults === personas) {
    if (!allowAllInvalid) throw new InvalidResponse(firstFault);
    // Classes seen only in invalid predictions must not become the header's.
    if (expectedClasses(expected) === undefined)
      return { kind, classes: [], probabilities: new Float64Array(), errors };
  }
  return { kind, classes, probabilities, errors };
}

/** @throws InvalidResponse unless as many predictions came back as personas were sent */
export function checkCount(received: number, personas: number): void {
  if (received === personas) return;
  throw new InvalidResponse(
    `${countOf(received, 'prediction')} came back for ${countOf(personas, 'persona')}`,
  );
}

/** @throws InvalidResponse if these are more classes than an output can have */
export function checkClassCount(classes: number): void {
  if (classes <= MAX_CLASSES) return;
  throw new InvalidResponse(
    `the response has ${counted(classes)} classes; the limit is ${counted(MAX_CLASSES)}`,
  );
}

/** Copies a persona's probabilities; returns what is wrong with them, if anything. */
export function copyProbabilities(
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
