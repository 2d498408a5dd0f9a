import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import type { Batch } from '../formats/csv/batch.ts';
import type { Encode, Encoded } from './encode.ts';
import type { ScoredBatch } from './in-flight.ts';
import { joinPredictions } from './join-predictions.ts';

export interface RescoreOptions {
  toBody: Encode;
  call: (encoded: Encoded) => Promise<ReceivedPredictions>;
  /** @throws RowcastError if rows were already written from a response that may belong to another request */
  check: () => void;
}

/**
 * The last stage at which a response can be replaced. A batch whose response came on a connection that mixed up
 * responses is scored again; any other is about to be written.
 */
export function rescoreSuspect({
  toBody,
  call,
  check,
}: RescoreOptions): (scored: ScoredBatch) => Promise<ScoredBatch> {
  const again = async (batch: Batch): Promise<ReceivedPredictions> => {
    const parts: { personas: number; predictions: ReceivedPredictions }[] = [];
    for (const part of toBody(batch)) parts.push({ personas: part.personas, predictions: await call(part) });
    return joinPredictions(parts);
  };
  return async scored => {
    const { batch } = scored;
    let { predictions } = scored;
    check();
    while (predictions.origins?.some(({ isSuspect }) => isSuspect)) predictions = await again(batch);
    check();
    for (const origin of predictions.origins ?? []) origin.written(batch.start.row);
    return { ...scored, predictions };
  };
}
