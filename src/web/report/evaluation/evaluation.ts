import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CalibrationBin, Report } from '../../../base/contract/schemas.ts';
import { resultOf, startThread } from '../../../base/thread-result.ts';
import type { LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import { testingResults } from '../../../models/store/report-store.ts';
import { calibrationOf } from '../../../training/findings/calibration.ts';
import { classScores, meanArea, type RocCurve, rocCurve } from '../../../training/findings/roc.ts';
import {
  type Confusion,
  confusionOf,
  type EvaluatedRows,
  logLoss,
} from '../../../training/learn/evaluation.ts';
import { type ColumnProfile, ColumnSample } from './column-sample.ts';
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

interface ClassEvaluation {
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
    auc: meanArea(classes.map(({ roc }) => roc)),
    logLoss: logLoss(rows),
    columns: await sample.profiles(),
  };
}

function evaluateClass(rows: EvaluatedRows, index: number): ClassEvaluation {
  const { ofClass, others } = classScores(rows, index);
  return {
    rows: ofClass.length,
    roc: rocCurve(ofClass, others),
    calibration: calibrationOf(ofClass, others),
  };
}

/** Can be posted between threads. */
export interface EvaluationJob {
  home: string;
  id: string;
  classes: readonly string[];
  columns: readonly LearnedColumn[];
}

/** Evaluates the stored testing results of a report in the current thread. */
export async function evaluateStored({ home, id, classes, columns }: EvaluationJob): Promise<Evaluation> {
  const results = await testingResults(home, id);
  try {
    return await evaluateResults(results, classes, columns);
  } finally {
    results.destroy();
  }
}

/** Fewer fields are evaluated faster (50 ms) than a thread starts. */
const THREAD_FIELDS = 200_000;

/**
 * Evaluates the testing results of a report. At most 20,000 rows of 200 columns, or of 100 classes, take 3 s on one core:
 * many are evaluated in a separate thread, so that nothing else waits for it.
 *
 * @throws RowcastError `bad_report_id`, `no_such_report`, `damaged_report`
 */
export function evaluateReport(
  home: string,
  { id, classes, quality }: Pick<Report, 'id' | 'classes' | 'quality'>,
  columns: readonly LearnedColumn[],
): Promise<Evaluation> {
  const job = { home, id, classes, columns };
  const fields = quality.testing_rows * (columns.length + classes.length);
  return fields < THREAD_FIELDS
    ? evaluateStored(job)
    : resultOf(startThread(new URL('./evaluation-worker.js', import.meta.url), job), 'evaluating');
}
