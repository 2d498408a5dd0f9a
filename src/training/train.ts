import { on, once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Report } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { fromThreadError } from '../base/thread-error.ts';
import { reportFolder, reportsFolder } from '../models/store/report-version.ts';
import { removeAbandonedReports, writeReport } from '../models/store/write-report.ts';
import { nameOfContent } from '../storage/codecs/codecs.ts';
import { checkApart } from '../storage/local/distinct-files.ts';
import { prepareReports, unwritableHome } from '../storage/local/home-folder.ts';
import { existingReport, optionsOf } from './existing-report.ts';
import type { TrainOptions } from './train-options.ts';
import type { TrainingJob, TrainingMessage, TrainingOutcome } from './training-worker.ts';

const MAX_RECORD_BYTES = 1 << 20;

/**
 * Trains a report in a separate thread and writes it to the data directory.
 *
 * @returns the new report, or with `ifExists: 'skip'` perhaps the one that was there
 * @throws RowcastError `bad_report_id`, `report_exists`, `output_is_input`, `unwritable_home`, `out_of_memory`, those of `readHistory`, and the refusals
 *   of `fit`; or the signal's reason
 */
export async function train(options: TrainOptions): Promise<Report> {
  const { historyFile, furtherFiles = [], predict, home, seed = 1 } = options;
  const { maxRecordBytes = MAX_RECORD_BYTES, signal } = options;
  const id = options.id ?? defaultId(historyFile, predict);
  // Checks the id and the data directory before the work, not after it.
  await checkHistoryApart([historyFile, ...furtherFiles], home, id);
  const { delimiter, quote, skipLines, names, encoding } = options;
  const { bins, features, excludeFeatures, types, nulls, maxRejects } = options;
  signal?.throwIfAborted();
  await removeAbandonedReports(home);
  const existing = await existingReport(id, options);
  if (existing !== undefined) return existing;
  options.onBegin?.();
  const made = await prepareReports(home, reportsFolder(home));
  try {
    const { inputFormat, maxGroupBytes, storeOptions } = options;
    const lines = { delimiter, quote, escape: options.escape, skipLines, names, encoding, maxRecordBytes };
    const reading = { historyFile, furtherFiles, storeOptions, inputFormat, maxGroupBytes, ...lines };
    const choices = { features, excludeFeatures, types };
    const job = { ...reading, ...choices, predict, id, seed, bins, nulls, maxRejects };
    const outcome = await runWorker(job, options);
    if ('failure' in outcome) throw fromThreadError(outcome.failure);
    const { model, testingResults } = outcome.fitted;
    const report: Report = {
      ...outcome.fitted.report,
      trained_from: {
        history_sha256: outcome.sha256,
        options: optionsOf(options),
        by_definition: options.byDefinition === true,
      },
    };
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

/** Derives a report id from a file name and a column: "data/Telco churn.csv", "Churn" → "telco-churn-churn". */
export function defaultId(historyFile: string, predict: string): string {
  const plain = (text: string, length: number) =>
    text
      .normalize('NFKD')
      .toLowerCase()
      .replace(/\p{M}/gu, '')
      .replace(/[^a-z0-9_]+/g, '-')
      .replace(/^[-_]+|[-_]+$/g, '')
      .slice(0, length);
  const parts = [plain(nameOfContent(basename(historyFile)).replace(/\.[^.]+$/, ''), 40), plain(predict, 23)];
  return parts.filter(part => part !== '').join('-') || 'report';
}

async function runWorker(
  job: TrainingJob,
  { signal, onStep }: Pick<TrainOptions, 'signal' | 'onStep'>,
): Promise<TrainingOutcome> {
  // The compiled file's name: unlike imports, URLs are not rewritten.
  const worker = new Worker(new URL('./training-worker.js', import.meta.url), {
    workerData: job,
    stdin: job.historyFile === '-',
    stdout: true,
    // Options of the process, such as --input-type, may forbid starting a file.
    execArgv: [],
  });
  worker.stdout.pipe(process.stderr, { end: false });
  if (worker.stdin !== null) process.stdin.pipe(worker.stdin);
  try {
    // Rejects if the thread fails; a thread that exits without an outcome is caught by `exit`.
    const outcome = outcomeOf(worker, signal, onStep);
    const ended = once(worker, 'exit').then(([code]) => {
      throw new Error(`the training thread exited with code ${code} before it returned a result`);
    });
    return await Promise.race([outcome, ended]);
  } catch (error) {
    throw signal?.aborted ? signal.reason : unlessTooLarge(error);
  } finally {
    // Stops reading stdin, so that the process does not wait for a writer after a failure.
    if (worker.stdin !== null) process.stdin.unpipe(worker.stdin).pause();
    await worker.terminate();
  }
}

async function outcomeOf(
  worker: Worker,
  signal: AbortSignal | undefined,
  onStep: TrainOptions['onStep'],
): Promise<TrainingOutcome> {
  // The thread posts only TrainingMessages.
  for await (const [message] of on(
    worker,
    'message',
    signal === undefined ? {} : { signal },
  ) as AsyncIterable<[TrainingMessage]>) {
    if (!('step' in message)) return message;
    onStep?.(message.step);
  }
  throw new Error('the training thread ended without a result');
}

/** Running out of memory is caused by the size of the training data; any other failure of the thread is a bug. */
function unlessTooLarge(error: unknown): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')) return error;
  return new RowcastError('out_of_memory', 'the training data needs more memory than Node.js may use', {
    hint: 'Remove unimportant columns, or raise the limit, in MB: NODE_OPTIONS=--max-old-space-size=8192.',
    cause: error,
  });
}

/**
 * Checks that the training data is not a file of the report that the training will replace and delete.
 *
 * @param files paths, or `-` for stdin
 * @throws RowcastError `output_is_input`, `bad_report_id`
 */
async function checkHistoryApart(files: readonly string[], home: string, id: string): Promise<void> {
  const folder = reportFolder(home, id);
  const names = await readdir(folder, { recursive: true }).catch(() => []); // there is no such report
  const read = files.map(file => ({
    at: file === '-' ? 0 : file,
    what: 'the training data',
    option: '--report',
  }));
  const replaced = names.map(name => ({
    at: join(folder, name),
    what: `a file of report ${id}, which would be replaced,`,
    option: '--report',
  }));
  await checkApart(read, replaced);
}
