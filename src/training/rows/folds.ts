import type { Fold } from '../learn/selection/validate.ts';
import { seededRandom, shuffled } from '../seeded-random.ts';
import type { Split } from './split-rows.ts';

/** Up to this many rows, one validation split is too noisy, so cross-validation is used: 3 folds, or 5 for few rows. */
const MAX_CROSS_VALIDATED = 2500;
const MAX_FIFTHS = 1000;

/** The folds that candidates are compared on: one, or 3 or 5 for cross-validation. None contains testing rows. */
export function foldsOf(split: Split, labels: Uint8Array, seed: number): Fold[] {
  const learning = [...split.training, ...split.validation];
  if (learning.length > MAX_CROSS_VALIDATED)
    return [{ training: Int32Array.from(split.training), validation: Int32Array.from(split.validation) }];
  // Dealt out class by class, so that the folds are stratified.
  const mixed = shuffled(
    learning.sort((a, b) => a - b),
    seededRandom(seed),
  );
  const dealt = mixed.sort((a, b) => (labels[a] ?? 0) - (labels[b] ?? 0));
  const folds = learning.length > MAX_FIFTHS ? 3 : 5;
  return Array.from({ length: folds }, (_, fold) => ({
    training: sorted(dealt.filter((_, i) => i % folds !== fold)),
    validation: sorted(dealt.filter((_, i) => i % folds === fold)),
  }));
}

const sorted = (rows: readonly number[]): Int32Array => Int32Array.from(rows).sort();
