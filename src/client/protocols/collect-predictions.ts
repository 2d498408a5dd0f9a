import { MAX_CLASSES } from '../../base/contract/limits.ts';
import type { Distributions } from '../../base/contract/predictions.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { InvalidResponse } from '../invalid-response.ts';
import { type Expected, expectedClasses } from './protocol.ts';

/** Why a service has no prediction for a row. */
export interface ServiceError {
  code: string;
  message: string;
}

/**
 * Collects the predictions of a batch. A row whose probabilities are invalid gets an error. If those of every row are, so is
 * the response, unless these rows are what is left after halving.
 *
 * @param classes the expected ones, or those of the first prediction
 * @param copy copies the probabilities of a row, in the order of the classes; returns what is wrong with them, or the error
 *   that the service gives in their place
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
