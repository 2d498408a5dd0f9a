import type { CalibrationBin, Quality } from '../../base/contract/schemas.ts';
import { wilson } from '../../base/wilson.ts';
import { accuracy, confusionOf, type EvaluatedRows, logLoss, toSixDecimals } from '../learn/evaluation.ts';
import { areaUnderCurve, classScores } from './roc.ts';

/**
 * The quality metrics of a model on the testing rows.
 *
 * @param learned the classes of the rows that the model was trained on
 */
export function qualityOf(
  testing: EvaluatedRows,
  learned: readonly number[],
  classes: readonly string[],
): Quality {
  const rows = testing.labels.length;
  const majority = mostFrequent(learned, classes.length);
  const right = accuracy(testing);
  const interval = wilson(right, rows);
  const area = areaUnderCurve(testing);
  return {
    testing_rows: rows,
    accuracy: toSixDecimals(right),
    accuracy_interval: {
      confidence: 0.95,
      low: toSixDecimals(interval.low),
      high: toSixDecimals(interval.high),
    },
    auc: area === undefined ? null : toSixDecimals(area),
    log_loss: toSixDecimals(logLoss(testing)),
    majority_class: classes[majority] ?? '',
    majority_accuracy: toSixDecimals(testing.labels.filter(label => label === majority).length / rows),
    confusion: confusionOf(testing),
    calibration: classes.map((_, index) => {
      const { ofClass, others } = classScores(testing, index);
      return calibrationOf(ofClass, others);
    }),
  };
}

/** The most frequent class; of equals, the first. */
export function mostFrequent(labels: Iterable<number>, classes: number): number {
  const counts = new Array<number>(classes).fill(0);
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts));
}

const CALIBRATION_BINS = 10;

/**
 * How often rows have a class, by the probability that was predicted for it, in ranges of equal width. Ranges without
 * rows are left out.
 */
export function calibrationOf(ofClass: Float64Array, others: Float64Array): CalibrationBin[] {
  const bins = Array.from({ length: CALIBRATION_BINS }, () => ({ sum: 0, rows: 0, positives: 0 }));
  const add = (probability: number, positives: number) => {
    const bin = bins[Math.min(CALIBRATION_BINS - 1, Math.floor(probability * CALIBRATION_BINS))];
    if (bin === undefined) return; // not a probability
    bin.sum += probability;
    bin.rows++;
    bin.positives += positives;
  };
  for (const probability of ofClass) add(probability, 1);
  for (const probability of others) add(probability, 0);
  return bins.flatMap(({ sum, rows, positives }, i) => {
    if (rows === 0) return [];
    const actual = positives / rows;
    const { low, high } = wilson(actual, rows);
    const [from, to] = [i / CALIBRATION_BINS, (i + 1) / CALIBRATION_BINS];
    return {
      from,
      to,
      rows,
      low: toSixDecimals(low),
      high: toSixDecimals(high),
      predicted: toSixDecimals(sum / rows),
      actual: toSixDecimals(actual),
    };
  });
}
