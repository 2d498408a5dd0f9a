import type { Fold } from '../learn/selection/validate.ts';
import { seededRandom, shuffled } from './seeded-random.ts';
import type { Split } from './split-rows.ts';

/** With fewer rows, one validation part says too little: the rows are validated in turns, of the fewest in more turns. */
const MAX_CROSS_VALIDATED = 2500;
const MAX_FIFTHS = 1000;

/** What candidates are compared on: the split's validation part, or, of few rows, each third or fifth in turn. No testing rows. */
export function foldsOf(split: Split, labels: Uint8Array, seed: number): Fold[] {
  const learning = [...split.training, ...split.validation];
  if (learning.length > MAX_CROSS_VALIDATED)
    return [{ training: Int32Array.from(split.training), validation: Int32Array.from(split.validation) }];
  // Dealt out class by class, so that each fold has its share of each.
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
