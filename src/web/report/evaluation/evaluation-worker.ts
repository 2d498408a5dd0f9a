import { workerData } from 'node:worker_threads';
import { postResult } from '../../../base/thread-result.ts';
import { testingResults } from '../../../models/store/report-store.ts';
import { type EvaluationJob, evaluateResults } from './evaluation.ts';

// Only `evaluateReport` starts this file, with an EvaluationJob.
const { home, id, classes, columns } = workerData as EvaluationJob;
await postResult(async () => evaluateResults(await testingResults(home, id), classes, columns));
