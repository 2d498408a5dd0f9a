import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, toFailure } from './failure.ts';
import { type FitOptions, type Fitted, fit } from './fit.ts';
import { type HistoryOptions, readHistory } from './history.ts';

/** What `train` hands to this thread. */
export type TrainingJob = FitOptions & HistoryOptions;

/** What the thread posts, once. */
export type TrainingOutcome = { fitted: Fitted } | { failure: Failure };

// `train` is the only one who starts this file, with a TrainingJob.
const job = workerData as TrainingJob;
let outcome: TrainingOutcome;
try {
  const history = await readHistory(job);
  outcome = { fitted: await fit(history, job) };
} catch (error) {
  outcome = { failure: toFailure(error) };
}
parentPort?.postMessage(outcome);
