import { isDeepStrictEqual } from 'node:util';
import { codePointOrder } from '../../base/contract/code-point-order.ts';
import { MAX_CLASSES } from '../../base/contract/limits.ts';
import type { Labels, Numbers } from '../../base/contract/predictions.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { InvalidResponse, isObject } from '../../client/parse-response.ts';
import { checkCount, type ServiceError } from '../../client/protocols/collect-predictions.ts';
import type { Expected } from '../../client/protocols/protocol.ts';

/**
 * The labels or numbers that a scorer of a program returns. The first prediction tells what all of them are.
 *
 * @returns undefined if they are something else, such as probabilities
 * @throws InvalidResponse
 */
export function readOutcome(outcome: unknown, expected: Expected): Labels | Numbers | undefined {
  if (!Array.isArray(outcome)) return undefined;
  const first: unknown = outcome.find(prediction => isObject(prediction) && !isObject(prediction.error));
  if (!isObject(first)) return undefined;
  if ('label' in first) return readLabels(outcome, expected);
  if ('value' in first) return readNumbers(outcome, [], expected);
  if ('values' in first) return readNumbers(outcome, namesOf(first.values, expected), expected);
  return undefined;
}

function readLabels(outcome: readonly unknown[], expected: Expected): Labels {
  const places = new Map<string, number>();
  const indices = new Int32Array(expected.personas).fill(-1);
  const errors = readEach(outcome, expected, ({ label }, row) => {
    if (label === null) return;
    if (typeof label !== 'string') throw otherKind(row, 'has no label that is a text');
    const place = places.get(label) ?? places.size;
    places.set(label, place);
    indices[row] = place;
  });
  return { kind: 'label', labels: [...places.keys()], indices, errors };
}

function readNumbers(outcome: readonly unknown[], names: readonly string[], expected: Expected): Numbers {
  const width = Math.max(1, names.length);
  const values = new Float64Array(expected.personas * width).fill(Number.NaN);
  const errors = readEach(outcome, expected, (prediction, row) => {
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

/** Names in the order of the output, else sorted by code point, as classes are. */
function namesOf(values: unknown, { predictionType }: Expected): readonly string[] {
  const names = isObject(values) ? Object.keys(values).sort(codePointOrder) : [];
  if (names.length === 0) throw new InvalidResponse('prediction 1 has no numbers');
  if (names.length > MAX_CLASSES)
    throw new InvalidResponse(
      `a prediction has ${countOf(names.length, 'number')}; the limit is ${counted(MAX_CLASSES)}`,
    );
  if (predictionType?.kind !== 'numbers') return names;
  const isSame = isDeepStrictEqual(names, predictionType.names.toSorted(codePointOrder));
  return isSame ? predictionType.names : names;
}

/** Reads each prediction; returns the errors that stand in place of one. */
function readEach(
  outcome: readonly unknown[],
  { personas }: Expected,
  read: (prediction: Record<string, unknown>, row: number) => void,
): Map<number, ServiceError> {
  checkCount(outcome.length, personas);
  const errors = new Map<number, ServiceError>();
  for (const [row, prediction] of outcome.entries()) {
    if (!isObject(prediction)) throw otherKind(row, 'is not an object');
    if (isObject(prediction.error)) errors.set(row, errorOf(prediction.error));
    else read(prediction, row);
  }
  return errors;
}

/** A code is a key of counters, so any other text is replaced by `error`. */
function errorOf({ code, message }: Record<string, unknown>): ServiceError {
  const isCode = typeof code === 'string' && /^[A-Za-z0-9][\w.-]{0,40}$/.test(code);
  return { code: isCode ? code : 'error', message: sanitize(String(message)) };
}

const otherKind = (row: number, what: string): InvalidResponse =>
  new InvalidResponse(`prediction ${row + 1} ${what}`);
