import type { Quality } from '../../base/contract/schemas.ts';
import { wilson } from '../../base/wilson.ts';
import { accuracy, confusionOf, type EvaluatedRows, logLoss, toSixDecimals } from '../learn/evaluation.ts';
import { calibrationOf } from './calibration.ts';
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
      return calibrationOf(ofClass, others).map(({ predicted, actual, ...bin }) => ({
        ...bin,
        predicted: toSixDecimals(predicted),
        actual: toSixDecimals(actual),
      }));
    }),
  };
}

/** The most frequent class; of equals, the first. */
export function mostFrequent(labels: Iterable<number>, classes: number): number {
  const counts = new Array<number>(classes).fill(0);
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts));
}
