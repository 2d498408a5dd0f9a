import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { NumbersReport, TrainedReport } from '../base/contract/schemas.ts';
import { RowcastError } from '../base/errors.ts';
import { isOutOfMemory, resultOf, startThread } from '../base/thread-result.ts';
import { reportFolder, reportsFolder } from '../models/store/report-version.ts';
import { removeAbandonedReports, writeReport } from '../models/store/write-report.ts';
import { nameOfContent } from '../storage/codecs/codecs.ts';
import { checkApart } from '../storage/local/distinct-files.ts';
import { prepareReports, unwritableHome } from '../storage/local/home-folder.ts';
import { existingReport, learningOptions } from './existing-report.ts';
import type { TrainingOptions } from './train-options.ts';
import type { TrainingJob, TrainingResult } from './training-worker.ts';

const MAX_RECORD_BYTES = 1 << 20;

/**
 * Trains a report in a separate thread and writes it to the data directory.
 *
 * @returns the new report, or with `ifExists: 'skip'` perhaps the one that was there
 * @throws RowcastError `bad_report_id`, `report_exists`, `output_is_input`, `unwritable_home`, `out_of_memory`, those
 *   of `readHistory`, and the refusals of `fit`; or the signal's reason
 */
export async function trainReport(options: TrainingOptions): Promise<TrainedReport | NumbersReport> {
  const {
    ifExists,
    byDefinition = false,
    onBegin,
    onSkip,
    onChanged,
    onStep,
    signal,
    home,
    ...given
  } = options;
  const { historyFile, furtherFiles = [], predict } = given;
  const id = options.id ?? defaultId(historyFile, predict);
  // Checks the id and the data directory before the work, not after it.
  await checkHistoryApart([historyFile, ...furtherFiles], home, id);
  signal?.throwIfAborted();
  await removeAbandonedReports(home);
  const existing = await existingReport(id, options);
  if (existing !== undefined) return existing;
  onBegin?.();
  const made = await prepareReports(home, reportsFolder(home));
  try {
    const job = { seed: 1, maxRecordBytes: MAX_RECORD_BYTES, ...given, id };
    const { fitted, sha256 } = await runThread(job, { signal, onStep });
    const { model, testingResults } = fitted;
    const report = {
      ...fitted.report,
      trained_from: {
        history_sha256: sha256,
        options: learningOptions(options),
        by_definition: byDefinition,
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

async function runThread(
  job: TrainingJob,
  { signal, onStep }: { [Name in 'signal' | 'onStep']: TrainingOptions[Name] | undefined },
): Promise<TrainingResult> {
  const worker = startThread(new URL('./training-worker.js', import.meta.url), job, {
    stdin: job.historyFile === '-',
    stdout: true,
  });
  worker.stdout.pipe(process.stderr, { end: false });
  if (worker.stdin !== null) process.stdin.pipe(worker.stdin);
  try {
    return await resultOf(worker, 'training', { signal, ...(onStep && { onMessage: onStep }) });
  } catch (cause) {
    // Any other failure of the thread is a bug.
    if (signal?.aborted || !isOutOfMemory(cause)) throw cause;
    throw new RowcastError('out_of_memory', 'the training data needs more memory than Node.js may use', {
      hint: 'Remove unimportant columns, or raise the limit, in MB: NODE_OPTIONS=--max-old-space-size=8192.',
      cause,
    });
  } finally {
    // Stops reading stdin, so that the process does not wait for a writer after a failure.
    if (worker.stdin !== null) process.stdin.unpipe(worker.stdin).pause();
  }
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
