import { workerData } from 'node:worker_threads';
import { postResult } from '../../../base/thread-result.ts';
import { type EvaluationJob, evaluateStored } from './evaluation.ts';

// Only `evaluateReport` starts this file, with an EvaluationJob.
await postResult(() => evaluateStored(workerData as EvaluationJob));
