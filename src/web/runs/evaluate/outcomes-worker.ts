import { workerData } from 'node:worker_threads';
import { postResult } from '../../../base/thread-result.ts';
import { evaluationOf } from '../../../evaluate/evaluation-of.ts';
import { tallyFiles } from '../../../evaluate/tally-files.ts';
import type { EvaluatedOutcomes, OutcomesJob } from './evaluate-outcomes.ts';

// Only `evaluateOutcomes` starts this file, with an OutcomesJob. A second thread would delay predictions.
const { files, facts } = workerData as OutcomesJob;
await postResult(async (): Promise<EvaluatedOutcomes> => {
  const { tally, segments, joined, lookalikes, unmatched } = await tallyFiles({
    ...files,
    aheadFrom: Number.POSITIVE_INFINITY,
  });
  return {
    evaluation: evaluationOf(tally, { ...facts, joined }, segments),
    lookalikes,
    keys: unmatched?.forms.lookalikes,
  };
});
