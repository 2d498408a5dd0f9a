import { on, once } from 'node:events';
import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Report } from '../contract/schemas.ts';
import { RowcastError } from '../errors.ts';
import { fromFailure } from '../failure.ts';
import { prepareReports, unwritableHome } from '../reports/data-directory.ts';
import { reportsFolder } from '../reports/report-store.ts';
import { writeReport } from '../reports/write-report.ts';
import { checkHistoryApart } from './rows/check-history-apart.ts';
import type { TrainingJob, TrainingMessage, TrainingOutcome } from './training-worker.ts';

export interface TrainOptions {
  /** A CSV of labelled rows, gzip or plain; `-` is stdin. */
  historyFile: string;
  /** The column to predict. */
  predict: string;
  /** By default made of the file's name and the column's. A report with the same id is replaced. */
  id?: string;
  /** Reports are kept in its folder `reports`. */
  home: string;
  /** Of the split and of the drivers' shuffles: the same data and seed give the same report. By default 1. */
  seed?: number;
  /** Into how many ranges a column of numbers is divided, to predict the range; without it, numbers with many values are refused. */
  bins?: number;
  /** By default what `dialectOf` makes of the file's name. */
  delimiter?: string;
  /** By default `"`, and none for `.tsv`; `none` for a file without quoting. */
  quote?: string;
  /** Longest record; by default 1 MiB. */
  maxRecordBytes?: number;
  /** Told in a few words what the training does next. */
  onStep?: (step: string) => void;
  /** Ends the training; nothing is written then. */
  signal?: AbortSignal;
}

const MAX_RECORD_BYTES = 1 << 20;

/**
 * Trains a report in a thread of its own and writes it under the home.
 *
 * @throws RowcastError `bad_report_id`, `output_is_input`, `unwritable_home`, `out_of_memory`, those of `readHistory`, and the refusals
 *   of `fit`; or the signal's reason
 */
export async function train(options: TrainOptions): Promise<Report> {
  const { historyFile, predict, home, seed = 1, maxRecordBytes = MAX_RECORD_BYTES, signal } = options;
  const id = options.id ?? defaultId(historyFile, predict);
  // A bad id and a bad home are refused before the work, not after it.
  await checkHistoryApart(historyFile, home, id);
  const { delimiter, quote, bins } = options;
  signal?.throwIfAborted();
  const made = await prepareReports(home, reportsFolder(home));
  try {
    const job = { historyFile, predict, id, seed, bins, delimiter, quote, maxRecordBytes };
    const outcome = await runWorker(job, options);
    if ('failure' in outcome) throw fromFailure(outcome.failure);
    const { report, model, testingResults } = outcome.fitted;
    signal?.throwIfAborted();
    await writeReport(home, { report, model, testingResults: Buffer.from(testingResults) }).catch(cause => {
      throw unwritableHome(home, 'reports', cause);
    });
    return report;
  } catch (error) {
    await made.undo();
    throw error;
  }
}

/** A valid report id of a history's name and a column's: "data/Telco churn.csv", "Churn" → "telco-churn-churn". */
export function defaultId(historyFile: string, predict: string): string {
  const plain = (text: string, length: number) =>
    text
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{M}/gu, '')
      .replace(/[^a-z0-9_]+/g, '-')
      .replace(/^[-_]+|[-_]+$/g, '')
      .slice(0, length);
  const parts = [
    plain(
      basename(historyFile)
        .replace(/\.gz$/i, '')
        .replace(/\.[^.]+$/, ''),
      40,
    ),
    plain(predict, 23),
  ];
  return parts.filter(part => part !== '').join('-') || 'report';
}

async function runWorker(
  job: TrainingJob,
  { signal, onStep }: Pick<TrainOptions, 'signal' | 'onStep'>,
): Promise<TrainingOutcome> {
  // The compiled file's name: a URL is not rewritten as an import is.
  const worker = new Worker(new URL('./training-worker.js', import.meta.url), {
    workerData: job,
    stdin: job.historyFile === '-',
    stdout: true,
    // The process's own options may forbid to start a file, as --input-type does.
    execArgv: [],
  });
  worker.stdout.pipe(process.stderr, { end: false });
  if (worker.stdin !== null) process.stdin.pipe(worker.stdin);
  try {
    // Rejects when the thread dies of an error; one that just ends without an answer is caught by `exit`.
    const answered = outcomeOf(worker, signal, onStep);
    const ended = once(worker, 'exit').then(([code]) => {
      throw new Error(`the training thread ended with code ${code} before it answered`);
    });
    return await Promise.race([answered, ended]);
  } catch (error) {
    throw signal?.aborted ? signal.reason : unlessTooLarge(error);
  } finally {
    // What comes after a refusal is not read: the process shall not wait for a writer who goes on.
    if (worker.stdin !== null) process.stdin.unpipe(worker.stdin).pause();
    await worker.terminate();
  }
}

async function outcomeOf(
  worker: Worker,
  signal: AbortSignal | undefined,
  onStep: TrainOptions['onStep'],
): Promise<TrainingOutcome> {
  // The thread posts nothing but TrainingMessages.
  for await (const [message] of on(
    worker,
    'message',
    signal === undefined ? {} : { signal },
  ) as AsyncIterable<[TrainingMessage]>) {
    if (!('step' in message)) return message;
    onStep?.(message.step);
  }
  throw new Error('the messages of the training thread ended without an outcome');
}

/** The thread's end for want of memory is the history's doing; every other one is a defect. */
function unlessTooLarge(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')) return error;
  return new RowcastError('out_of_memory', 'the history needs more memory than Node may take', {
    hint: 'Leave columns out that say little, or let it take more, in MB: NODE_OPTIONS=--max-old-space-size=8192.',
    cause: error,
  });
}
