import { codePointOrder } from '../../../base/contract/code-point-order.ts';
import { MAX_CLASSES } from '../../../base/contract/limits.ts';
import type { Wire } from '../../../base/contract/wire-names.ts';
import { counted, countOf } from '../../../base/number-text.ts';
import { sanitize } from '../../../base/sanitize.ts';
import type { ReceivedPredictions } from '../../../scoring/predictions.ts';
import { checkReport, InvalidResponse } from '../../invalid-response.ts';
import { copyProbabilities } from './copy-probabilities.ts';
import { isObject } from './is-object.ts';
import { inPersonaOrder } from './persona-order.ts';

export interface ExpectedPredictions {
  /** Number of personas sent. */
  personas: number;
  /** The classes in the output header, once they are known. */
  classes: readonly string[] | undefined;
  /** Whether these rows are what is left after halving a batch: all of their predictions may be invalid. */
  allowAllInvalid?: boolean;
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
  { personas, classes, allowAllInvalid, report, wire, secret }: ExpectedPredictions,
): ReceivedPredictions {
  const received = readPredictions(body, wire, report);
  if (received.length !== personas)
    throw new InvalidResponse(
      `${countOf(received.length, 'prediction')} came back for ${countOf(personas, 'persona')}`,
    );
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
    if (!allowAllInvalid) throw new InvalidResponse(firstFault);
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

function firstClasses(predictions: readonly unknown[], wire: Wire): string[] {
  for (const prediction of predictions) {
    const own = isObject(prediction) ? prediction[wire.probabilities] : undefined;
    if (!isObject(own)) continue;
    const classes = Object.keys(own);
    if (classes.length > MAX_CLASSES)
      throw new InvalidResponse(
        `the response has ${counted(classes.length)} classes; the limit is ${counted(MAX_CLASSES)}`,
      );
    return classes.sort(codePointOrder);
  }
  return [];
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
