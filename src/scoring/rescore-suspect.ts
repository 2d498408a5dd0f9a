import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import type { Batch } from '../formats/csv/batch.ts';
import type { Encode, Encoded } from './encode.ts';
import type { ScoredBatch } from './in-flight.ts';
import { joinPredictions } from './join-predictions.ts';

export interface RescoreOptions {
  toBody: Encode;
  call: (encoded: Encoded) => Promise<ReceivedPredictions>;
  /** @throws RowcastError when rows were written from a response that may belong to another request */
  check: () => void;
}

/**
 * A stage: the last moment at which a response can be replaced. One that came on a connection which mixed up its
 * responses is asked for again; any other is about to be written.
 */
export function rescoreSuspect({
  toBody,
  call,
  check,
}: RescoreOptions): (scored: ScoredBatch) => Promise<ScoredBatch> {
  const again = async (batch: Batch): Promise<ReceivedPredictions> => {
    const parts: { personas: number; answer: ReceivedPredictions }[] = [];
    for (const part of toBody(batch)) parts.push({ personas: part.personas, answer: await call(part) });
    return joinPredictions(parts);
  };
  return async scored => {
    const { batch } = scored;
    let { predictions: answer } = scored;
    check();
    while (answer.origins?.some(({ isSuspect }) => isSuspect)) answer = await again(batch);
    check();
    for (const origin of answer.origins ?? []) origin.written(batch.start.row);
    return { ...scored, predictions: answer };
  };
}
