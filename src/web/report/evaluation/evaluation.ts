import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LearnedColumn } from '../../../reports/model/column-encoder.ts';
import { type EvaluatedRows, logLoss } from '../../../training/findings/evaluation.ts';
import { type CalibrationBin, calibrationOf } from './calibration.ts';
import { type ColumnProfile, ColumnSample } from './column-sample.ts';
import { type Confusion, confusionOf } from './confusion.ts';
import { type RocCurve, rocCurve } from './roc.ts';
import { readTestingRows } from './testing-rows.ts';

/** Everything that a report's page shows of its testing results. */
export interface Evaluation {
  rows: number;
  confusion: Confusion;
  /** One for each class, against all others. */
  classes: ClassEvaluation[];
  /** The mean area under the ROC curves, or with two classes that of the second; undefined if it cannot be computed. */
  auc: number | undefined;
  logLoss: number;
  /** By name. */
  columns: ReadonlyMap<string, ColumnProfile>;
}

export interface ClassEvaluation {
  /** The testing rows of the class. */
  rows: number;
  /** Undefined if no testing row or every testing row has the class. */
  roc: RocCurve | undefined;
  calibration: CalibrationBin[];
}

/**
 * Evaluates testing results, in slices of a few milliseconds between which other requests are served.
 *
 * @throws RowcastError `damaged_report`
 */
export async function evaluateResults(
  chunks: AsyncIterable<Buffer>,
  names: readonly string[],
  learned: readonly LearnedColumn[],
): Promise<Evaluation> {
  const sample = new ColumnSample(learned);
  const rows = await readTestingRows(chunks, names, sample);
  const classes: ClassEvaluation[] = [];
  for (const index of names.keys()) {
    classes.push(evaluateClass(rows, index));
    await nextTurn();
  }
  return {
    rows: rows.labels.length,
    confusion: confusionOf(rows),
    classes,
    auc: meanArea(classes),
    logLoss: logLoss(rows),
    columns: await sample.profiles(),
  };
}

function evaluateClass({ probabilities, labels, classes }: EvaluatedRows, index: number): ClassEvaluation {
  const count = labels.reduce((sum, label) => sum + (label === index ? 1 : 0), 0);
  const ofClass = new Float64Array(count);
  const others = new Float64Array(labels.length - count);
  let [right, wrong] = [0, 0];
  labels.forEach((label, row) => {
    const probability = probabilities[row * classes + index] ?? 0;
    if (label === index) ofClass[right++] = probability;
    else others[wrong++] = probability;
  });
  return { rows: count, roc: rocCurve(ofClass, others), calibration: calibrationOf(ofClass, others) };
}

/** As `areaUnderCurve` of the training. */
function meanArea(classes: readonly ClassEvaluation[]): number | undefined {
  const areas = (classes.length === 2 ? classes.slice(1) : classes).flatMap(({ roc }) => roc?.area ?? []);
  return areas.length === 0 ? undefined : areas.reduce((sum, area) => sum + area, 0) / areas.length;
}
