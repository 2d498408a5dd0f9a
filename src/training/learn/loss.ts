import type { OutputSpec } from '../../models/model/predictor-spec.ts';
import {
  logistic,
  outputOfClasses,
  probabilitiesOf,
  scoreCount,
  softmaxAt,
} from '../../models/model/scores.ts';
import { accuracy, logLoss, percent } from './evaluation.ts';
import type { Derivatives } from './trees/grow-tree.ts';

/** Each row's class, as an index, or each row's number. */
export type RowLabels = Uint8Array | Float64Array;

/** How good predictions are. */
export interface Measures {
  /** What models are compared by. */
  loss: number;
  /** The accuracy; of numbers, R². */
  merit: number;
}

/** What a training minimizes. Scores are sums of trees or terms, `stride` per row; predictions are made of them. */
export interface Loss {
  /** As notes name it; absent if there is no other one. */
  objective?: string;
  stride: number;
  /** What is made of scores. */
  output: OutputSpec;
  predict(scores: Float64Array): Float64Array;
  /** The best scores if all of these rows get the same ones. */
  prior(labels: RowLabels, rows: Int32Array): Float64Array;
  /** Returns a function that writes the derivatives of rows by the score at an index; it begins with index 0. */
  derivativesOf(
    labels: RowLabels,
  ): (scores: Float64Array, rows: Int32Array, index: number, to: Derivatives) => void;
  /** What a leaf adds to the scores of these rows; if absent, it is a step of Newton's method. */
  leafValue?(scores: Float64Array, labels: RowLabels, rows: Int32Array, l2: number): number;
  /** How linear models minimize it; absent if they do not. */
  linear?: {
    algorithm: string;
    /** Labels are learned as (label - center) / scale. */
    center: number;
    scale: number;
    /** Returns the loss of all rows; the scores become its derivatives. */
    total(scores: Float64Array, labels: RowLabels): number;
  };
  measure(predictions: Float64Array, labels: readonly number[]): Measures;
  describe(measures: Measures): string;
}

/** The log loss: logistic for two classes, softmax for more. */
export function lossOfClasses(classes: number): Loss {
  const stride = scoreCount(classes);
  return {
    stride,
    output: outputOfClasses(classes),
    predict: scores => probabilitiesOf(scores, classes),
    prior: (labels, rows) => priorScores(labels, rows, classes),
    derivativesOf(labels) {
      if (stride === 1) return (scores, rows, _, to) => logisticGradients(scores, labels, rows, to);
      let probabilities = new Float64Array(0);
      return (scores, rows, index, to) => {
        if (probabilities.length === 0) probabilities = new Float64Array(scores.length);
        if (index === 0) softmax(scores, stride, rows, probabilities);
        classGradients(probabilities, labels, rows, { stride, index }, to);
      };
    },
    linear: {
      algorithm: 'logistic regression',
      center: 0,
      scale: 1,
      total: (scores, labels) =>
        stride === 1 ? logisticLoss(scores, labels) : softmaxLoss(scores, labels, classes),
    },
    measure(probabilities, labels) {
      const scored = { probabilities, labels, classes };
      return { loss: logLoss(scored), merit: accuracy(scored) };
    },
    describe: ({ loss, merit }) => `log loss ${loss.toFixed(4)}, accuracy ${percent(merit)}`,
  };
}

/** The class shares as scores, with half a row added to each class so that none is zero. */
function priorScores(labels: RowLabels, rows: Int32Array, classes: number): Float64Array {
  const counts = new Float64Array(classes).fill(0.5);
  for (const row of rows) {
    const label = labels[row] as number;
    counts[label] = (counts[label] as number) + 1;
  }
  if (classes === 2) return Float64Array.of(Math.log((counts[1] as number) / (counts[0] as number)));
  const total = rows.length + classes / 2;
  return counts.map(count => Math.log(count / total));
}

/** For two classes: the derivatives of the loss by the score of the second class. */
function logisticGradients(
  scores: Float64Array,
  labels: RowLabels,
  rows: Int32Array,
  { gradients, hessians }: Derivatives,
): void {
  for (const row of rows) {
    const p = logistic(scores[row] as number);
    gradients[row] = p - (labels[row] as number);
    hessians[row] = p * (1 - p);
  }
}

/** For more classes: the derivatives by the score of the class at `index`. */
function classGradients(
  probabilities: Float64Array,
  labels: RowLabels,
  rows: Int32Array,
  { stride, index }: { stride: number; index: number },
  { gradients, hessians }: Derivatives,
): void {
  for (const row of rows) {
    const p = probabilities[row * stride + index] as number;
    gradients[row] = p - (labels[row] === index ? 1 : 0);
    hessians[row] = p * (1 - p);
  }
}

/** Converts the scores of some rows, `classes` per row, to probabilities. */
function softmax(scores: Float64Array, classes: number, rows: Int32Array, probabilities: Float64Array): void {
  for (const row of rows) softmaxAt(scores, row * classes, (row + 1) * classes, probabilities);
}

/** The loss; the scores become its derivatives. */
function logisticLoss(scores: Float64Array, labels: RowLabels): number {
  let loss = 0;
  for (let row = 0; row < labels.length; row++) {
    const score = scores[row] as number;
    const label = labels[row] as number;
    // ln(1 + e^score) without overflow.
    loss += Math.max(score, 0) + Math.log1p(Math.exp(-Math.abs(score))) - label * score;
    scores[row] = logistic(score) - label;
  }
  return loss;
}

/** The loss; the scores become its derivatives. */
function softmaxLoss(scores: Float64Array, labels: RowLabels, classes: number): number {
  scores.set(probabilitiesOf(scores, classes));
  let loss = 0;
  for (let row = 0; row < labels.length; row++) {
    const at = row * classes + (labels[row] as number);
    loss -= Math.log(Math.max(Number.MIN_VALUE, scores[at] as number));
    scores[at] = (scores[at] as number) - 1;
  }
  return loss;
}
