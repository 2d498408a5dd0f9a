import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, toFailure } from '../failure.ts';
import { type FitOptions, type Fitted, fit } from './fit.ts';
import { type HistoryOptions, readHistory } from './rows/read-history.ts';

/** What `train` hands to this thread. */
export type TrainingJob = FitOptions & HistoryOptions;

/** What the thread posts last, and once. */
export type TrainingOutcome = { fitted: Fitted } | { failure: Failure };

/** What the thread posts. */
export type TrainingMessage = TrainingOutcome | { step: string };

// `train` is the only one who starts this file, with a TrainingJob.
const job = workerData as TrainingJob;
const post = (message: TrainingMessage): void => parentPort?.postMessage(message);
const onStep = (step: string): void => post({ step });
let outcome: TrainingOutcome;
try {
  const history = await readHistory(job, onStep);
  outcome = { fitted: await fit(history, job, onStep) };
} catch (error) {
  outcome = { failure: toFailure(error) };
}
post(outcome);
