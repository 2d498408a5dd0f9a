import type { LearnedColumn } from '../../../formats/columns/column-encoder.ts';
import { testingResults } from '../../../models/store/report-store.ts';
import { type Evaluation, evaluateResults } from './evaluation.ts';

/** Can be posted between threads. */
export interface EvaluationJob {
  home: string;
  id: string;
  classes: readonly string[];
  columns: readonly LearnedColumn[];
}

/** Evaluates the stored testing results of a report in the current thread. */
export async function evaluateStored({ home, id, classes, columns }: EvaluationJob): Promise<Evaluation> {
  const results = await testingResults(home, id);
  try {
    return await evaluateResults(results, classes, columns);
  } finally {
    results.destroy();
  }
}
