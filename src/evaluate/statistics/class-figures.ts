import { wilson } from '../../base/wilson.ts';
import type { ClassFigures, EvaluationFigures } from '../evaluation.ts';
import { type ClassTally, OF_CLASS, OTHERS, SUM } from './class-tally.ts';
import { gainsOf, rankingOf } from './curve.ts';
import { decilesOf } from './deciles.ts';
import {
  type Estimate,
  estimate,
  type Moments,
  rounded,
  shareOf,
  undefinedFigure,
  withoutInterval,
} from './estimates.ts';

const NO_LABEL = 'no row has a label';
const NO_PROBABILITY = 'only labels were predicted';

/** The figures of all classes together. */
export function classesFigures(tally: ClassTally, byClass: readonly ClassFigures[]): EvaluationFigures {
  const { classes, confusion, logLoss, brier } = tally;
  const right = classes.reduce((sum, _, i) => sum + (confusion[i * classes.length + i] ?? 0), 0);
  const [only] = byClass;
  const none = undefinedFigure(NO_PROBABILITY);
  const overall = {
    log_loss: meanOf(logLoss, tally),
    brier: meanOf(brier, tally),
    accuracy: shareOf(right, tally.labelled, NO_LABEL),
  };
  const scores = tally.hasProbabilities ? {} : { auc: none, calibration_error: none };
  if (classes.length === 2 && only !== undefined) return { ...scores, ...only.figures, ...overall };
  const mean = (name: string): Estimate => meanOfClasses(byClass.map(({ figures }) => figures[name]));
  return { auc: mean('auc'), calibration_error: mean('calibration_error'), ...scores, ...overall };
}

function meanOf(values: Moments, { hasProbabilities }: ClassTally): Estimate {
  if (values.count === 0) return undefinedFigure(hasProbabilities ? NO_LABEL : NO_PROBABILITY);
  return estimate(values.mean, values.standardError);
}

/** The mean over the classes that have a figure, as in reports; it has no interval, because they are not independent. */
function meanOfClasses(all: readonly (Estimate | undefined)[]): Estimate {
  const values = all.flatMap(each => each?.value ?? []);
  if (values.length === 0) return undefinedFigure(all[0]?.reason ?? NO_LABEL);
  return withoutInterval(values.reduce((sum, value) => sum + value, 0) / values.length);
}

/** EvaluationFigures of each class against all others; of two classes, of the second one. */
export function figuresByClass(tally: ClassTally): ClassFigures[] {
  const { classes, hasProbabilities, scored } = tally;
  if (hasProbabilities)
    return scored.map((index, i) => ({ ...classFacts(tally, index), ...scoreFigures(tally, index, i) }));
  return (classes.length === 2 ? [1] : [...classes.keys()]).map(index => ({
    ...classFacts(tally, index),
    figures: labelFigures(tally, index),
    roc: [],
    calibration: [],
    gains: [],
  }));
}

const classFacts = ({ classes, confusion }: ClassTally, index: number) => ({
  class: classes[index] ?? '',
  rows: classes.reduce((sum, _, label) => sum + (confusion[index * classes.length + label] ?? 0), 0),
});

/** What needs no probabilities. */
function labelFigures(tally: ClassTally, index: number): EvaluationFigures {
  const { classes, confusion } = tally;
  const count = classes.length;
  const right = confusion[index * count + index] ?? 0;
  const { rows } = classFacts(tally, index);
  const predicted = classes.reduce((sum, _, actual) => sum + (confusion[actual * count + index] ?? 0), 0);
  return {
    precision: shareOf(right, predicted, 'no labelled row is predicted to have the class'),
    recall: shareOf(right, rows, 'no row has the class'),
    base_rate: shareOf(rows, tally.labelled, NO_LABEL),
  };
}

function scoreFigures(
  tally: ClassTally,
  index: number,
  i: number,
): Pick<ClassFigures, 'figures' | 'roc' | 'calibration' | 'gains'> {
  const groups = tally.groups(i);
  const { roc, ...ranking } = rankingOf(groups);
  let [sum, errors, labelled] = [0, 0, 0];
  const calibration = decilesOf(groups, [OTHERS, OF_CLASS]).map(({ from, to, sums }) => {
    const right = sums[OF_CLASS] ?? 0;
    const rows = right + (sums[OTHERS] ?? 0);
    const [predicted, actual] = [(sums[SUM] ?? 0) / rows, right / rows];
    sum += sums[SUM] ?? 0;
    errors += Math.abs(predicted - actual) * rows;
    labelled += rows;
    const { low, high } = wilson(actual, rows);
    return {
      from: rounded(from),
      to: rounded(to),
      rows,
      predicted: rounded(predicted),
      actual: rounded(actual),
      low: rounded(low),
      high: rounded(high),
    };
  });
  const mean = (of: number): Estimate =>
    labelled === 0 ? undefinedFigure(NO_LABEL) : withoutInterval(of / labelled);
  return {
    figures: {
      ...ranking,
      ...labelFigures(tally, index),
      mean_prediction: mean(sum),
      calibration_error: mean(errors),
    },
    roc,
    calibration,
    gains: gainsOf(groups).map(({ top, captured, lift, cumulative_lift }) => ({
      top,
      captured: rounded(captured),
      lift: rounded(lift),
      cumulative_lift: rounded(cumulative_lift),
    })),
  };
}
