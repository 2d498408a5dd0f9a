import { exactExp } from '../../../models/model/exponentials.ts';
import type { OutputSpec } from '../../../models/model/predictor-spec.ts';
import { predictionsOf } from '../../../models/model/scores.ts';
import { quantile } from '../evaluation.ts';
import type { Loss } from '../loss.ts';
import { distributionOf } from './distribution.ts';
import { errorsOf } from './errors.ts';

/** What models of a history of numbers are compared by. */
export type Criterion = 'RMSE' | 'MAE';

/**
 * The losses to try for numbers: squared error, which linear models minimize, and absolute error; for numbers from 0
 * with many zeros or a long tail also those of Poisson and Tweedie, whose predictions are positive.
 *
 * @param learning the rows that are not for testing
 */
export function lossesOf(labels: Float64Array, learning: Int32Array): [Loss, ...Loss[]] {
  const { mean, deviation, isSkewed, outliers } = distributionOf(
    Float64Array.from(learning, row => labels[row] as number),
  );
  const criterion = outliers.rows > 0 ? 'MAE' : 'RMSE';
  return [
    squaredLoss(criterion, { mean, deviation }),
    absoluteLoss(criterion),
    ...(isSkewed ? [tweedieLoss(criterion, mean, 1), tweedieLoss(criterion, mean, TWEEDIE_POWER)] : []),
  ];
}

const identity: OutputSpec = { link: { kind: 'identity' }, isRounded: true };
const exponential: OutputSpec = { link: { kind: 'exp' }, isRounded: true };

/** What losses of numbers have in common: one score, and how predictions are measured. */
function shared(criterion: Criterion, output: OutputSpec) {
  return {
    stride: 1,
    output,
    predict: (scores: Float64Array) => predictionsOf(scores, output, { stride: 1, width: 1 }),
    measure(predictions: Float64Array, labels: readonly number[]) {
      const { rmse, mae, r2 } = errorsOf(predictions, labels);
      return { loss: criterion === 'RMSE' ? rmse ** 2 : mae, merit: r2 ?? 0 };
    },
    describe: ({ loss, merit }: { loss: number; merit: number }) =>
      `${criterion} ${Number((criterion === 'RMSE' ? Math.sqrt(loss) : loss).toPrecision(5))}, R² ${merit.toFixed(3)}`,
  };
}

/** @param unit of the gradients, so that they are comparable with penalties whatever the numbers are */
function squaredLoss(criterion: Criterion, { mean, deviation }: { mean: number; deviation: number }): Loss {
  return {
    ...shared(criterion, identity),
    objective: 'squared error',
    prior: (labels, rows) => Float64Array.of(sumOver(rows, row => labels[row] as number) / rows.length),
    derivativesOf: labels => (scores, rows, _, to) => {
      for (const row of rows) {
        to.gradients[row] = ((scores[row] as number) - (labels[row] as number)) / deviation;
        to.hessians[row] = 1;
      }
    },
    leafValue: (scores, labels, rows, l2) =>
      sumOver(rows, row => (labels[row] as number) - (scores[row] as number)) / (rows.length + l2),
    linear: {
      algorithm: 'linear regression',
      center: mean,
      scale: deviation,
      total(scores, labels) {
        let loss = 0;
        for (let row = 0; row < labels.length; row++) {
          const error = (scores[row] as number) - (labels[row] as number);
          loss += (error * error) / 2;
          scores[row] = error;
        }
        return loss;
      },
    },
  };
}

/** Leaves are medians (Friedman 2001, algorithm 3). */
function absoluteLoss(criterion: Criterion): Loss {
  return {
    ...shared(criterion, identity),
    objective: 'absolute error',
    prior: (labels, rows) =>
      Float64Array.of(quantile(Float64Array.from(rows, row => labels[row] as number).sort(), 0.5)),
    derivativesOf: labels => (scores, rows, _, to) => {
      for (const row of rows) {
        to.gradients[row] = Math.sign((scores[row] as number) - (labels[row] as number));
        to.hessians[row] = 1;
      }
    },
    leafValue: (scores, labels, rows) =>
      quantile(Float64Array.from(rows, row => (labels[row] as number) - (scores[row] as number)).sort(), 0.5),
  };
}

/** Between that of counts, 1, and that of amounts without zeros, 2. */
const TWEEDIE_POWER = 1.5;

/**
 * The deviance of Tweedie's distributions with the logarithm as link: the variance is a power of the mean. Poisson's
 * has the power 1 (Jørgensen, Exponential dispersion models, JRSS B 49, 1987).
 *
 * @param mean of the labels, in which derivatives are measured
 */
function tweedieLoss(criterion: Criterion, mean: number, power: number): Loss {
  const unit = exactExp((2 - power) * Math.log(mean));
  /** Minus the derivative is `above - below`. */
  const above = (label: number, score: number) => (label * exactExp((1 - power) * score)) / unit;
  const below = (score: number) => exactExp((2 - power) * score) / unit;
  return {
    ...shared(criterion, exponential),
    objective: power === 1 ? 'Poisson deviance' : 'Tweedie deviance',
    prior: (labels, rows) => {
      // With half a row of the mean of all, so that the logarithm is finite.
      const sum = sumOver(rows, row => labels[row] as number) + mean / 2;
      return Float64Array.of(Math.log(sum / (rows.length + 0.5)));
    },
    derivativesOf: labels => (scores, rows, _, to) => {
      for (const row of rows) {
        const score = scores[row] as number;
        const [up, down] = [above(labels[row] as number, score), below(score)];
        to.gradients[row] = down - up;
        to.hessians[row] = (2 - power) * down + (power - 1) * up;
      }
    },
    /** The minimum, with rows added that are predicted exactly. */
    leafValue(scores, labels, rows, l2) {
      const up = sumOver(rows, row => above(labels[row] as number, scores[row] as number));
      const down = sumOver(rows, row => below(scores[row] as number));
      const added = (Math.max(1, l2) * down) / rows.length;
      return Math.log((up + added) / (down + added));
    },
  };
}

function sumOver(rows: Int32Array, of: (row: number) => number): number {
  let sum = 0;
  for (const row of rows) sum += of(row);
  return sum;
}
