import type { Quality } from '../../contract/schemas.ts';
import { accuracy, type EvaluatedRows, logLoss } from './evaluation.ts';

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
  const area = areaUnderCurve(testing);
  return {
    testing_rows: rows,
    accuracy: rounded(right),
    accuracy_interval: wilson(right, rows),
    auc: area === undefined ? null : rounded(area),
    log_loss: rounded(logLoss(testing)),
    majority_class: classes[majority] ?? '',
    majority_accuracy: rounded(testing.labels.filter(label => label === majority).length / rows),
  };
}

/** The 97.5% quantile of the normal distribution: 95% lie within this many standard deviations of the mean. */
const Z = 1.959964;

/**
 * The 95% score interval of a share (Wilson, Probable inference, the law of succession, and statistical inference,
 * JASA 22, 1927), which Brown, Cai and DasGupta recommend for small samples (Interval estimation for a binomial
 * proportion, Statistical Science 16, 2001).
 */
export function wilson(share: number, rows: number): Quality['accuracy_interval'] {
  const spread = Z ** 2 / rows;
  const center = (share + spread / 2) / (1 + spread);
  const half = (Z / (1 + spread)) * Math.sqrt((share * (1 - share)) / rows + spread / (4 * rows));
  return {
    confidence: 0.95,
    low: rounded(Math.max(0, center - half)),
    high: rounded(Math.min(1, center + half)),
  };
}

/**
 * The area under the ROC curve; of more than two classes, the mean of each class's against all others (macro average,
 * one-vs-rest). Classes that no testing row has, or all have, do not count; undefined where none is left.
 */
export function areaUnderCurve({ probabilities, labels, classes }: EvaluatedRows): number | undefined {
  const areas: number[] = [];
  for (let index = classes === 2 ? 1 : 0; index < classes; index++) {
    const scores = Float64Array.from(labels, (_, row) => probabilities[row * classes + index] ?? 0);
    const area = areaOf(
      scores,
      labels.map(label => label === index),
    );
    if (area !== undefined) areas.push(area);
  }
  return areas.length === 0 ? undefined : areas.reduce((sum, area) => sum + area, 0) / areas.length;
}

/** The probability that a row of the class scores higher than one of another; ties count half (Mann-Whitney). */
function areaOf(scores: Float64Array, isOfClass: readonly boolean[]): number | undefined {
  const order = Array.from(scores, (_, row) => row).sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0));
  let [ofClass, others, wins] = [0, 0, 0];
  for (let from = 0; from < order.length; ) {
    let [tiedOfClass, tiedOthers, to] = [0, 0, from];
    for (; to < order.length && scores[order[to] ?? 0] === scores[order[from] ?? 0]; to++) {
      if (isOfClass[order[to] ?? 0]) tiedOfClass++;
      else tiedOthers++;
    }
    wins += tiedOfClass * (others + tiedOthers / 2);
    ofClass += tiedOfClass;
    others += tiedOthers;
    from = to;
  }
  return ofClass === 0 || others === 0 ? undefined : wins / (ofClass * others);
}

/** The most frequent class; of equals, the first. */
export function mostFrequent(labels: Iterable<number>, classes: number): number {
  const counts = new Array<number>(classes).fill(0);
  for (const label of labels) counts[label] = (counts[label] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts));
}

/** Six digits are more than any testing split can resolve. */
const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
