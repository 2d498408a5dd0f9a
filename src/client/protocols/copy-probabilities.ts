import { sumsToOne } from '../../base/contract/predictions.ts';
import { sanitize } from '../../base/sanitize.ts';
import { InvalidResponse } from '../invalid-response.ts';

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
