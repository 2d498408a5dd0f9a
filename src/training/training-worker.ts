import { workerData } from 'node:worker_threads';
import { postMessage, postResult } from '../base/thread-result.ts';
import { type FitOptions, type Fitted, fit } from './fit.ts';
import { type HistoryOptions, readHistory } from './rows/read-history.ts';

/** What `train` passes to this thread, whose messages are the steps. */
export type TrainingJob = FitOptions & HistoryOptions;

export interface TrainingResult {
  fitted: Fitted;
  sha256: string | null;
}

await postResult(async (): Promise<TrainingResult> => {
  // Only `train` starts this file, with a TrainingJob.
  const job = workerData as TrainingJob;
  const history = await readHistory(job, postMessage);
  return { fitted: await fit(history, job, postMessage), sha256: history.sha256 };
});
