import { codePointOrder, type Distributions, sumsToOne } from '../../../base/contract/predictions.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { InvalidResponse, isObject, shapeOf } from '../../parse-response.ts';
import { checkClassCount, collectPredictions, copyProbabilities } from '../collect-predictions.ts';
import { type Expected, expectedClasses } from '../protocol.ts';
import type { LabelledValue } from './row-values.ts';

/**
 * Reads probabilities from a value for each row: an object by class, a list of labels with values, or a list in the
 * order of `listed`. Only who names the classes may say what a place in a list means, so it is never guessed.
 *
 * @param listed the classes that the response lists, else those that options or the model's description name
 * @throws InvalidResponse
 */
export function readDistributions(
  values: readonly unknown[],
  expected: Expected,
  listed: readonly string[] | undefined,
): Distributions {
  const known = expectedClasses(expected);
  const classes = known ?? (listed === undefined ? classesOf(values) : [...listed].sort(codePointOrder));
  checkClassCount(classes.length);
  const isKnown = known !== undefined;
  const places = listed && placesIn(listed, classes, isKnown);
  const labelPlaces = classes.map(() => 0);
  return collectPredictions(expected, classes, (row, into) => {
    const own = values[row];
    if (own === null) return 'there are no probabilities';
    if (isObject(own)) return copyProbabilities(own, row, classes, isKnown, into);
    if (!Array.isArray(own))
      throw new InvalidResponse(`prediction ${row + 1} is ${shapeOf(own)}, but probabilities are expected`);
    if (isLabelled(own))
      return findLabels(own, classes, labelPlaces)
        ? copyList(own.map(numberIn), row, classes, labelPlaces, into)
        : copyProbabilities(byLabel(own), row, classes, isKnown, into);
    if (places === undefined) throw unnamed();
    if (own.length !== classes.length)
      throw new InvalidResponse(
        `prediction ${row + 1} has ${own.length} probabilities for ${classes.length} classes`,
        isKnown,
      );
    return copyList(own, row, classes, places, into);
  });
}

/** Copies probabilities that are in a list; returns what is wrong with them, if anything. */
export function copyList(
  own: ArrayLike<unknown>,
  row: number,
  classes: readonly string[],
  places: readonly number[],
  into: Float64Array,
  from = 0,
): string | undefined {
  let sum = 0;
  const first = row * classes.length;
  for (let index = 0; index < classes.length; index++) {
    const probability = own[from + (places[index] ?? 0)];
    if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1))
      return `the probability of "${sanitize(classes[index] ?? '')}" is not a number in 0..1`;
    into[first + index] = probability;
    sum += probability;
  }
  return sumsToOne(sum, classes.length) ? undefined : `the probabilities sum to ${sum}, not to 1`;
}

/**
 * For each class, its place in a list.
 *
 * @throws InvalidResponse if these are not the same classes
 */
export function placesIn(listed: readonly string[], classes: readonly string[], known: boolean): number[] {
  const places = new Map(listed.map((name, place) => [name, place]));
  if (
    places.size === classes.length &&
    listed.length === classes.length &&
    classes.every(name => places.has(name))
  )
    return classes.map(name => places.get(name) ?? 0);
  const names = (list: readonly string[]): string => sanitize(list.join(', '));
  throw new InvalidResponse(
    `the response has the classes ${names(listed)}, expected ${names(classes)}`,
    known,
  );
}

/** The response has probabilities whose classes nobody names. */
export const unnamed = (): InvalidResponse =>
  new InvalidResponse('the response does not name the classes; name them with --classes, in its order');

function classesOf(values: readonly unknown[]): string[] {
  const first = values.find(value => value !== null);
  if (isObject(first)) return Object.keys(first).sort(codePointOrder);
  if (Array.isArray(first) && isLabelled(first)) return Object.keys(byLabel(first)).sort(codePointOrder);
  if (first === undefined) return [];
  throw unnamed();
}

/**
 * Finds each class in a list of labels, first where it was in the list before.
 *
 * @param places for each class, where it was, and then is
 * @returns whether the list has these classes and no others
 */
function findLabels(list: readonly LabelledValue[], classes: readonly string[], places: number[]): boolean {
  if (list.length !== classes.length) return false;
  for (const [index, name] of classes.entries()) {
    const isName = (each: LabelledValue | undefined): boolean => String(each?.label) === name;
    if (isName(list[places[index] ?? 0])) continue;
    places[index] = list.findIndex(isName);
    if (places[index] === -1) return false;
  }
  return true;
}

const numberIn = (each: LabelledValue | null): unknown => each?.value ?? each?.score;

const isLabelled = (list: readonly unknown[]): boolean => isObject(list[0]);

/** @throws InvalidResponse if a label is there twice */
function byLabel(list: readonly unknown[]): Record<string, unknown> {
  const labelled = list.map((each): LabelledValue => (isObject(each) ? each : {}));
  const values = Object.fromEntries(labelled.map(each => [String(each.label), numberIn(each)]));
  if (Object.keys(values).length === list.length) return values;
  throw new InvalidResponse('a prediction has two values for the same label');
}
