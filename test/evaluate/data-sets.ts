import { ClassTally } from '../../src/evaluate/statistics/class-tally.ts';
import { NumberTally } from '../../src/evaluate/statistics/number-tally.ts';

/** The same numbers as `uniform` of reference.py: murmur3's finalizer of a counter. */
export function uniform(seed: number, i: number): number {
  let h = (Math.imul(i, 0x9e3779b1) + Math.imul(seed, 0x85ebca6b)) >>> 0;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}

/** A data set of rows with probabilities, and the index of the actual class. */
export interface ClassSet {
  rows: number;
  classes: number;
  /** Fills in the probabilities of a row. @returns the actual class */
  fill(values: Float64Array, row: number): number;
}

/** A row of two classes by its number: the probability of the second class, and whether the row has it. */
type Pair = readonly [probability: number, ofClass: boolean];

const two = (rows: number, pairOf: (row: number) => Pair): ClassSet => ({
  rows,
  classes: 2,
  fill(values, row) {
    const [probability, ofClass] = pairOf(row);
    values[0] = 1 - probability;
    values[1] = probability;
    return ofClass ? 1 : 0;
  },
});

const several = (classes: number, rows: number, seed: number, isNormal: boolean): ClassSet => ({
  rows,
  classes,
  fill(values, row) {
    let total = 0;
    for (let i = 0; i < classes; i++) total += uniform(seed + i, row);
    for (let i = 0; i < classes; i++) values[i] = uniform(seed + i, row) / (isNormal ? total : 1);
    if (uniform(seed + classes, row) < 0.4) return values.indexOf(Math.max(...values));
    return Math.floor(classes * uniform(seed + classes + 1, row));
  },
});

function spread(rows: number, seed: number): ClassSet {
  return two(rows, row => {
    const p = uniform(seed, row) * uniform(seed + 1, row);
    return [p, uniform(seed + 2, row) < p];
  });
}

/** The same as `sets` of reference.py. */
export const classSets: Readonly<Record<string, ClassSet>> = {
  spread: spread(1000, 1),
  ties: two(2000, row => {
    const p = Math.floor(10 * uniform(4, row)) / 10;
    return [p, uniform(5, row) < p];
  }),
  constant: two(500, row => [0.3, uniform(6, row) < 0.35]),
  'one class': two(300, row => [uniform(7, row), false]),
  perfect: two(60, row => [uniform(8, row), uniform(8, row) >= 0.5]),
  rare: two(20_000, row => {
    const u = uniform(9, row);
    return [0.05 * u * u * u, uniform(10, row) < 0.05 * u * u * u];
  }),
  certain: two(3000, row => {
    const p = Math.min(1, Math.max(0, 1.6 * uniform(11, row) - 0.3));
    return [p, uniform(12, row) < 0.8 - 0.6 * p];
  }),
  'one row': two(1, row => [uniform(13, row), true]),
  'three classes': several(3, 5000, 20, true),
  'not normalised': several(3, 5000, 30, false),
  '20 classes': several(20, 8000, 50, true),
  '2,000,000 rows': spread(2_000_000, 14),
};

export interface NumberSet {
  rows: number;
  of(row: number): readonly [actual: number, predicted: number];
}

/** The same as `number_sets` of reference.py. */
export const numberSets: Readonly<Record<string, NumberSet>> = {
  numbers: {
    rows: 5000,
    of: row => {
      const u = uniform(80, row);
      return [1000 * u * u + 40 * uniform(81, row) - 20, 1000 * u * u];
    },
  },
  counts: {
    rows: 3000,
    of: row => [Math.floor(20 * uniform(82, row) * uniform(83, row)), Math.floor(8 * uniform(82, row))],
  },
  'constant actual number': { rows: 400, of: row => [7, 6 + 2 * uniform(84, row)] },
  'one number': { rows: 1, of: () => [3, 2.5] },
  '300,000 numbers': {
    rows: 300_000,
    of: row => {
      const x = 100 / (0.01 + uniform(85, row));
      return [x - 500 * uniform(86, row), x - 200];
    },
  },
};

/** A tally of the rows of a set from one row up to another. */
export function classTallyOf({ rows, classes, fill }: ClassSet, from = 0, to = rows): ClassTally {
  const tally = new ClassTally(Array.from({ length: classes }, (_, i) => String(i)));
  const row = { values: new Float64Array(classes), label: -1 };
  for (let i = from; i < to; i++) tally.addLabelled(row, fill(row.values, i));
  return tally;
}

export function numberTallyOf({ rows, of }: NumberSet, from = 0, to = rows): NumberTally {
  const tally = new NumberTally();
  const row = { values: new Float64Array(1), label: -1 };
  for (let i = from; i < to; i++) {
    const [actual, predicted] = of(i);
    row.values[0] = predicted;
    tally.addLabelled(row, actual);
  }
  return tally;
}
