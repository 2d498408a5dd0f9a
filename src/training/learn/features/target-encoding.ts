import { scoreCount } from '../../../models/model/scores.ts';
import type { Random } from '../../seeded-random.ts';
import type { RowLabels } from '../loss.ts';

/** Smoothing: pseudo-rows with the overall class shares that are added to each level. */
const PRIOR_ROWS = 20;
/** A row's own class must not influence its feature, or the model would overfit to it. */
const FOLDS = 5;

interface TargetRows {
  /** Each row's level, from 1; NaN if missing. */
  levels: Float64Array;
  labels: RowLabels;
  /** 1 for numbers. */
  classes: number;
  /** The training rows. */
  rows: Int32Array;
}

/**
 * By level, from 1, the smoothed share of each class with a score, or the smoothed mean of numbers; the last entry is for
 * all other levels.
 */
export type Targets = Float64Array[];

/**
 * Target encoding (Micci-Barreca 2001), fitted to all of the rows, to encode other rows.
 *
 * @param count the number of levels encoded individually
 */
export function learnTargets({ levels, labels, classes, rows }: TargetRows, count: number): Targets {
  if (classes === 1) return meansOf(levels, labels, rows, count);
  return targetsOf(tally(levels, labels, rows, count, classes), classes);
}

/** Encodes the training rows, each from the rows of the other folds. Indexed by score, then row. */
export function foldedTargets(
  { levels, labels, classes, rows }: TargetRows,
  count: number,
  random: Random,
): Float64Array[] {
  const stride = scoreCount(classes);
  const features = Array.from({ length: stride }, () => new Float64Array(labels.length).fill(Number.NaN));
  const folds = Uint8Array.from(rows, () => Math.floor(random() * FOLDS));
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = rows.filter((_, i) => folds[i] !== fold);
    const targets = learnTargets({ levels, labels, classes, rows: others }, count);
    rows.forEach((row, i) => {
      const level = levels[row] as number;
      if (folds[i] !== fold || Number.isNaN(level)) return;
      const own = targets[Math.min(level, count + 1) - 1];
      features.forEach((feature, score) => {
        feature[row] = own?.[score] ?? Number.NaN;
      });
    });
  }
  return features;
}

function meansOf(levels: Float64Array, labels: RowLabels, rows: Int32Array, count: number): Targets {
  const [sums, counts] = [new Float64Array(count + 1), new Float64Array(count + 1)];
  let [total, all] = [0, 0];
  for (const row of rows) {
    const [level, label] = [levels[row] as number, labels[row] as number];
    if (Number.isNaN(level)) continue;
    const at = Math.min(level, count + 1) - 1;
    sums[at] = (sums[at] as number) + label;
    counts[at] = (counts[at] as number) + 1;
    total += label;
    all++;
  }
  const prior = (PRIOR_ROWS * total) / Math.max(1, all);
  return Array.from(sums, (sum, level) =>
    Float64Array.of((sum + prior) / ((counts[level] as number) + PRIOR_ROWS)),
  );
}

/** Counts rows per level and class. */
function tally(
  levels: Float64Array,
  labels: RowLabels,
  rows: Int32Array,
  count: number,
  classes: number,
): Float64Array {
  const counts = new Float64Array((count + 1) * classes);
  for (const row of rows) {
    const level = levels[row] as number;
    if (Number.isNaN(level)) continue;
    const at = (Math.min(level, count + 1) - 1) * classes + (labels[row] as number);
    counts[at] = (counts[at] as number) + 1;
  }
  return counts;
}

function targetsOf(counts: Float64Array, classes: number): Targets {
  const totals = Float64Array.from({ length: classes }, (_, i) => {
    let sum = 0;
    for (let at = i; at < counts.length; at += classes) sum += counts[at] as number;
    return sum;
  });
  const rows = totals.reduce((sum, count) => sum + count, 0);
  // For two classes, the share of the second is enough.
  const first = classes === 2 ? 1 : 0;
  return Array.from({ length: counts.length / classes }, (_, level) => {
    const own = counts.subarray(level * classes, (level + 1) * classes);
    const ownRows = own.reduce((sum, count) => sum + count, 0);
    return Float64Array.from(
      own.subarray(first),
      (count, i) =>
        (count + (PRIOR_ROWS * (totals[first + i] as number)) / Math.max(1, rows)) / (ownRows + PRIOR_ROWS),
    );
  });
}
