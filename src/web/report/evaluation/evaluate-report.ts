import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Report } from '../../../base/contract/schemas.ts';
import { fromThreadError } from '../../../base/thread-error.ts';
import type { LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import { type Evaluation, type EvaluationJob, evaluateStored } from './evaluation.ts';
import type { EvaluationOutcome } from './evaluation-worker.ts';

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
  return fields < THREAD_FIELDS ? evaluateStored(job) : evaluateInThread(job);
}

async function evaluateInThread(job: EvaluationJob): Promise<Evaluation> {
  // The compiled file's name: unlike imports, URLs are not rewritten.
  const worker = new Worker(new URL('./evaluation-worker.js', import.meta.url), {
    workerData: job,
    // Options of the process, such as --input-type, may forbid starting a file.
    execArgv: [],
  });
  try {
    const ended = once(worker, 'exit').then(([code]) => {
      throw new Error(`the evaluating thread exited with code ${code} before it returned a result`);
    });
    // Both reject if the thread fails; it posts only an EvaluationOutcome.
    const [outcome] = (await Promise.race([once(worker, 'message'), ended])) as [EvaluationOutcome];
    if ('failure' in outcome) throw fromThreadError(outcome.failure);
    return outcome.evaluation;
  } finally {
    await worker.terminate();
  }
}
