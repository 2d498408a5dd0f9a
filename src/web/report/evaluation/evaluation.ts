import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TrainedReport } from '../../../base/contract/schemas.ts';
import { resultOf, startThread } from '../../../base/thread-result.ts';
import type { LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import { testingResults } from '../../../models/store/report-store.ts';
import { classScores, type RocCurve, rocCurve } from '../../../training/findings/roc.ts';
import { ColumnSample, type TypicalValues } from './column-sample.ts';
import { readTestingRows } from './testing-rows.ts';

/**
 * What a report's page shows of its testing results and the report does not have: its quality was computed in training.
 */
export interface ReportEvaluation {
  /** By class, against all others; undefined if no testing row or every testing row has the class. */
  curves: (RocCurve | undefined)[];
  /** By name. */
  columns: ReadonlyMap<string, TypicalValues>;
}

/**
 * Evaluates testing results, in slices of a few milliseconds between which other requests are served.
 *
 * @throws RowcastError `damaged_report`
 */
export async function evaluateResults(
  chunks: AsyncIterable<Buffer>,
  classes: readonly string[],
  learned: readonly LearnedColumn[],
): Promise<ReportEvaluation> {
  const sample = new ColumnSample(learned);
  const rows = await readTestingRows(chunks, classes, sample);
  const curves: ReportEvaluation['curves'] = [];
  for (const index of classes.keys()) {
    const { ofClass, others } = classScores(rows, index);
    curves.push(rocCurve(ofClass, others));
    await nextTurn();
  }
  return { curves, columns: await sample.profiles() };
}

/** Can be posted between threads. */
export interface EvaluationJob {
  home: string;
  id: string;
  classes: readonly string[];
  columns: readonly LearnedColumn[];
}

/** Evaluates the stored testing results of a report in the current thread. */
export async function evaluateStored({
  home,
  id,
  classes,
  columns,
}: EvaluationJob): Promise<ReportEvaluation> {
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
 * Evaluates the testing results of a report. At most 20,000 rows of 200 columns, or of 100 classes, take 3 s on one
 * core: many are evaluated in a separate thread, so that nothing else waits for it.
 *
 * @throws RowcastError `bad_report_id`, `no_such_report`, `damaged_report`
 */
export function evaluateReport(
  home: string,
  { id, classes, quality }: Pick<TrainedReport, 'id' | 'classes' | 'quality'>,
  columns: readonly LearnedColumn[],
): Promise<ReportEvaluation> {
  const job = { home, id, classes, columns };
  const fields = quality.testing_rows * (columns.length + classes.length);
  return fields < THREAD_FIELDS
    ? evaluateStored(job)
    : resultOf(startThread(new URL('./evaluation-worker.js', import.meta.url), job), 'evaluating');
}
