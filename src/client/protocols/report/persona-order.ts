import { InvalidResponse } from '../../invalid-response.ts';
import { isObject } from '../is-object.ts';
import type { Wire } from './wire-names.ts';

/** Some services number their predictions with this member. */
export const indexMember = 'index';

/**
 * Puts predictions in the order of their personas. If they are numbered, the numbers must be complete, starting at 0
 * or 1.
 */
export function inPersonaOrder(predictions: unknown[], wire: Wire): unknown[] {
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
