import { runEvaluation } from '../evaluate/run-evaluation.ts';

export const run = runEvaluation;
