import { RowcastError } from '../../../base/errors.ts';
import { resultOf, startThread } from '../../../base/thread-result.ts';
import type { LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import { readLayout } from '../../../formats/formats.ts';
import { sourceOf } from '../../../formats/records/byte-source.ts';
import { textOf } from '../../../formats/records/fields.ts';
import { readBatches } from '../../../formats/records/read-batches.ts';
import { type RocCurve, rocCurves } from '../../../training/findings/roc.ts';
import type { EvaluatedRows } from '../../../training/learn/evaluation.ts';
import { ColumnSample, type TypicalValues } from './column-sample.ts';

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
 * Evaluates testing results.
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
  return { curves: rocCurves(rows), columns: sample.profiles() };
}

/** Can be posted between threads. */
export interface EvaluationJob {
  home: string;
  id: string;
  classes: readonly string[];
  columns: readonly LearnedColumn[];
}

/**
 * Evaluates the testing results of a report in a thread: 20,000 rows of 200 columns, or of 100 classes, take 3 s on
 * one core.
 *
 * @throws RowcastError `bad_report_id`, `no_such_report`, `damaged_report`
 */
export const evaluateReport = (job: EvaluationJob): Promise<ReportEvaluation> =>
  resultOf(startThread(new URL('./evaluation-worker.js', import.meta.url), job), 'evaluating');

const MAX_RECORD_BYTES = 64 << 20;
const BATCH_ROWS = 1000;
const BATCH_BYTES = 1 << 17;

/**
 * Reads the testing results of a report as `training/findings/testing-results.ts` writes them: the columns of the
 * training data, then the actual class, the predicted one, and a probability for each class. Of a report
 * that was trained there are at most 20,000, of an imported one 100,000; their probabilities and labels are all that is
 * kept of them. Of a report of numbers, which has no classes, nothing is kept.
 *
 * @throws RowcastError `damaged_report` if the file does not belong to a report with these classes
 */
export async function readTestingRows(
  chunks: AsyncIterable<Buffer>,
  classes: readonly string[],
  sample: ColumnSample,
): Promise<EvaluatedRows> {
  const source = sourceOf('testing-results.csv', chunks);
  const options = { delimiter: ',', maxRecordBytes: MAX_RECORD_BYTES };
  const { layout, rest } = await readLayout(source, options);
  const own = layout.names.length - classes.length - 2;
  if (own < 0) throw damaged();
  const columns = uniqueColumns(layout.names.slice(0, own));
  const indexes = new Map(classes.map((name, index) => [name, index]));
  const labels: number[] = [];
  const probabilities: number[] = [];
  const fieldsOf = layout.fieldReader();
  const records = layout.records({
    file: source.name,
    batchRows: BATCH_ROWS,
    batchBytes: () => BATCH_BYTES,
    maxRecordBytes: MAX_RECORD_BYTES,
    start: layout.start,
  });
  for await (const batch of readBatches({ records, rest, source })) {
    const fields = fieldsOf(batch);
    for (let row = 0; classes.length > 0 && row < fields.rows; row++) {
      const label = indexes.get(textOf(fields, row, own));
      if (label === undefined) throw damaged();
      labels.push(label);
      for (let i = 0; i < classes.length; i++) probabilities.push(Number(textOf(fields, row, own + 2 + i)));
    }
    sample.add(fields, columns);
  }
  return { labels, probabilities: Float64Array.from(probabilities), classes: classes.length };
}

/** Training leaves out columns whose name another one has. */
function uniqueColumns(names: readonly string[]): Map<string, number> {
  const indexes = new Map<string, number>();
  const twice = new Set<string>();
  names.forEach((name, index) => {
    if (indexes.has(name)) twice.add(name);
    indexes.set(name, index);
  });
  for (const name of twice) indexes.delete(name);
  return indexes;
}

const damaged = (): RowcastError =>
  new RowcastError('damaged_report', 'the testing results do not belong to the report', {
    hint: 'Train or import it again with --if-exists replace.',
  });
