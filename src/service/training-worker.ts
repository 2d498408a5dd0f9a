import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readTable } from '../csv/table.ts';
import { RowcastError } from '../errors.ts';
import { shown } from '../shown.ts';
import { loadEngine } from './engine.ts';
import { type Failure, toFailure } from './failure.ts';
import { type FitOptions, type Fitted, fit } from './fit.ts';

/** What `train` hands to this thread. */
export interface TrainingJob extends FitOptions {
  historyFile: string;
  delimiter?: string;
}

/** What the thread posts, once. */
export type TrainingOutcome = { fitted: Fitted } | { failure: Failure };

// `train` is the only one who starts this file, with a TrainingJob.
const job = workerData as TrainingJob;
let outcome: TrainingOutcome;
try {
  const table = readTable(readHistory(job.historyFile), {
    file: job.historyFile,
    ...(job.delimiter === undefined ? {} : { delimiter: job.delimiter }),
  });
  outcome = { fitted: await fit(await loadEngine(), table, job) };
} catch (error) {
  outcome = { failure: toFailure(error) };
}
parentPort?.postMessage(outcome);

function readHistory(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw new RowcastError(
      missing ? 'no_such_file' : 'unreadable_file',
      missing ? 'no such file' : `the history cannot be read: ${shown(String(cause))}`,
      { place: { file }, cause },
    );
  }
}
