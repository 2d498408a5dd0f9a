import { type Predictions, sumsToOne } from '../../base/contract/predictions.ts';

/** Checks probabilities, `classes` per row: a row with invalid ones gets an error. */
export function checkProbabilities(probabilities: Float64Array, classes: number): Predictions['errors'] {
  const errors = new Map<number, { code: string; message: string }>();
  for (let at = 0; at < probabilities.length; at += classes) {
    let sum = 0;
    let isValid = true;
    for (let i = at; i < at + classes; i++) {
      const probability = probabilities[i] as number;
      sum += probability;
      if (!(probability >= 0 && probability <= 1)) isValid = false;
    }
    if (isValid && sumsToOne(sum, classes)) continue;
    errors.set(at / classes, {
      code: 'wrong_probabilities',
      message: `invalid probabilities: ${probabilities.subarray(at, at + classes).join(', ')}`,
    });
  }
  return errors;
}
