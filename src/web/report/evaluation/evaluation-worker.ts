import { parentPort, workerData } from 'node:worker_threads';
import { type ThreadError, toThreadError } from '../../../base/thread-error.ts';
import { type Evaluation, type EvaluationJob, evaluateStored } from './evaluation.ts';

/** The only message of the thread. */
export type EvaluationOutcome = { evaluation: Evaluation } | { failure: ThreadError };

let outcome: EvaluationOutcome;
try {
  // Only `evaluateReport` starts this file, with an EvaluationJob.
  outcome = { evaluation: await evaluateStored(workerData as EvaluationJob) };
} catch (error) {
  outcome = { failure: toThreadError(error) };
}
parentPort?.postMessage(outcome);
