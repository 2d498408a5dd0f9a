import {
  codePointOrder,
  type Distributions,
  type Labels,
  type Numbers,
  numbersPerRow,
  type Predictions,
} from '../../../base/contract/predictions.ts';
import { formatList } from '../../../base/sanitize.ts';
import { HALF_PAIR } from '../../../formats/json/scan-string.ts';
import { noPredictions } from '../../../scoring/batch/join-predictions.ts';
import { InvalidResponse, isObject, shapeOf } from '../../parse-response.ts';
import { checkClassCount } from '../collect-predictions.ts';
import type { Expected } from '../protocol.ts';
import type { DescribedKind } from './description.ts';
import { readDistributions } from './read-distributions.ts';
import { aloneIn, kindOfValues } from './row-values.ts';

/** The predictions of a response. */
export interface ReceivedValues {
  /** A value for each row; null where there is none. */
  values: readonly unknown[];
  /** What the protocol says that they are; undefined if their shape says it. */
  described: DescribedKind | undefined;
  /** The classes in the order of lists of probabilities, as far as anybody names them. */
  listed: readonly string[] | undefined;
}

/**
 * Reads and checks the predictions of a response, one for each row in their order. All are of the kind of the first
 * one, and of the kind that earlier responses had. A row whose prediction is null is rejected.
 *
 * @throws InvalidResponse
 */
export function readPredictions(
  { values, described, listed }: ReceivedValues,
  expected: Expected,
): Predictions {
  const known = expected.predictionType;
  const kind = known?.kind ?? (described === undefined ? kindOfValues(values) : KINDS[described]);
  switch (kind) {
    case undefined:
      return withoutValues(values, expected);
    case 'distribution':
      return readDistributions(values, expected, listed);
    case 'label':
      return readLabels(values, { isKnown: known !== undefined, mayBeNumbers: described === 'label' });
    case 'numbers': {
      const names = known?.kind === 'numbers' ? known.names : undefined;
      return readNumbers(values, described === 'number' ? (names ?? []) : names, known !== undefined);
    }
  }
}

const KINDS = {
  probabilities: 'distribution',
  label: 'label',
  number: 'numbers',
  numbers: 'numbers',
} as const satisfies Record<DescribedKind, Predictions['kind']>;

/** The predictions of a response that has none, from which nothing can be learned. @throws InvalidResponse */
function withoutValues(values: readonly unknown[], { allowAllInvalid }: Expected): Distributions {
  if (!allowAllInvalid) throw new InvalidResponse('all predictions are null');
  const error = { code: 'wrong_prediction', message: 'the prediction is null' };
  return { ...noPredictions, errors: new Map(values.map((_, row) => [row, error])) };
}

interface LabelOptions {
  /** Whether earlier responses had labels. */
  isKnown: boolean;
  /** Whether the protocol says that these are labels, so that a number is one too. */
  mayBeNumbers: boolean;
}

/** Labels from a value for each row; a null has none. @throws InvalidResponse */
export function readLabels(values: readonly unknown[], { isKnown, mayBeNumbers }: LabelOptions): Labels {
  const places = new Map<string, number>();
  const indices = Int32Array.from(values, (value, row) => {
    const label = labelOf(aloneIn(value), mayBeNumbers);
    if (label === null) return -1;
    if (label === undefined)
      throw new InvalidResponse(
        `prediction ${row + 1} is ${shapeOf(value)}, but a label is expected`,
        isKnown,
      );
    const place = places.get(label) ?? places.size;
    places.set(label, place);
    return place;
  });
  return { kind: 'label', labels: [...places.keys()], indices, errors: new Map() };
}

/**
 * A label as text. A class that is a number has its shortest text; an integer that a double cannot hold may have been
 * rounded, so it is no label; nor is a text with half of a surrogate pair, which UTF-8 does not have.
 *
 * @returns null if the row has no label, or none that is exact; undefined if its value is not a label
 */
function labelOf(value: unknown, mayBeNumber: boolean): string | null | undefined {
  if (value === null) return null;
  if (typeof value === 'string') return HALF_PAIR.test(value) ? null : value;
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !mayBeNumber) return undefined;
  return Number.isSafeInteger(value) || !Number.isInteger(value) ? String(value) : null;
}

/**
 * Numbers from a value for each row; a null has none.
 *
 * @param given the names, if they are known
 * @param isKnown whether earlier responses had numbers
 * @throws InvalidResponse
 */
export function readNumbers(
  values: readonly unknown[],
  given: readonly string[] | undefined,
  isKnown: boolean,
): Numbers {
  const names = given ?? numberNames(values.find(value => value !== null));
  const width = numbersPerRow(names);
  const numbers = new Float64Array(values.length * width).fill(Number.NaN);
  for (const [row, value] of values.entries()) {
    if (value === null) continue;
    if (names.length === 0) numbers[row] = numberOf(aloneIn(value), row, isKnown);
    else copyNamed(value, row, { names, isKnown }, numbers);
  }
  return { kind: 'numbers', names, values: numbers, errors: new Map() };
}

/** The names of several numbers, sorted by code point; none for anything else. */
export function numberNames(value: unknown): string[] {
  if (!isObject(value)) return [];
  const names = Object.keys(value).sort(codePointOrder);
  checkClassCount(names.length);
  return names;
}

function copyNamed(
  value: unknown,
  row: number,
  { names, isKnown }: { names: readonly string[]; isKnown: boolean },
  into: Float64Array,
): void {
  const own = isObject(value) ? value : {};
  if (Object.keys(own).length !== names.length || !names.every(name => Object.hasOwn(own, name)))
    throw new InvalidResponse(
      `prediction ${row + 1} is ${shapeOf(value)}, expected the numbers ${formatList(names)}`,
      isKnown,
    );
  for (const [index, name] of names.entries())
    into[row * names.length + index] = numberOf(own[name], row, isKnown);
}

/** The double that is nearest to a number; NaN, which rejects the row, for null. @throws InvalidResponse */
function numberOf(value: unknown, row: number, isKnown: boolean): number {
  if (typeof value === 'number') return value;
  if (value === null) return Number.NaN;
  throw new InvalidResponse(`prediction ${row + 1} is ${shapeOf(value)}, but a number is expected`, isKnown);
}
