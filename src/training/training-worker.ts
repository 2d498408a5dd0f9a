import { parentPort, workerData } from 'node:worker_threads';
import { type ThreadError, toThreadError } from '../base/errors.ts';
import { type FitOptions, type Fitted, fit } from './fit.ts';
import { type HistoryOptions, readHistory } from './rows/read-history.ts';

/** What `train` passes to this thread. */
export type TrainingJob = FitOptions & HistoryOptions;

/** The last message of the thread. */
export type TrainingOutcome = { fitted: Fitted; sha256: string | null } | { failure: ThreadError };

/** Any message of the thread. */
export type TrainingMessage = TrainingOutcome | { step: string };

// Only `train` starts this file, with a TrainingJob.
const job = workerData as TrainingJob;
const post = (message: TrainingMessage): void => parentPort?.postMessage(message);
const onStep = (step: string): void => post({ step });
let outcome: TrainingOutcome;
try {
  const history = await readHistory(job, onStep);
  outcome = { fitted: await fit(history, job, onStep), sha256: history.sha256 };
} catch (error) {
  outcome = { failure: toThreadError(error) };
}
post(outcome);
