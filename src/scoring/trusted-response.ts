import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import type { Batch } from '../formats/csv/batch.ts';
import type { Encode, Encoded } from './encode.ts';
import type { Answered } from './in-flight.ts';
import { joinAnswers } from './join-predictions.ts';

export interface TrustedOptions {
  toBody: Encode;
  call: (encoded: Encoded) => Promise<ReceivedPredictions>;
  /** @throws RowcastError when rows were written from a response that may belong to another request */
  check: () => void;
}

/**
 * A stage: the last moment at which a response can be replaced. One that came on a connection which mixed up its
 * responses is asked for again; any other is about to be written.
 */
export function trusted({ toBody, call, check }: TrustedOptions): (scored: Answered) => Promise<Answered> {
  const again = async (batch: Batch): Promise<ReceivedPredictions> => {
    const parts: { personas: number; answer: ReceivedPredictions }[] = [];
    for (const part of toBody(batch)) parts.push({ personas: part.personas, answer: await call(part) });
    return joinAnswers(parts);
  };
  return async scored => {
    const { batch } = scored;
    let { answer } = scored;
    check();
    while (answer.origins?.some(({ isSuspect }) => isSuspect)) answer = await again(batch);
    check();
    for (const origin of answer.origins ?? []) origin.written(batch.start.row);
    return { ...scored, answer };
  };
}
