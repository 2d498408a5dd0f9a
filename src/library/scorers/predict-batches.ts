import { setMaxListeners } from 'node:events';
import type { Prediction } from '../../base/contract/prediction.ts';
import type { Features } from '../../base/contract/schemas.ts';
import type { ReportClient } from '../../client/protocols/report/report-client.ts';
import { predictionOf } from '../../scoring/prediction-of.ts';

/** Maximum size of a request, as in a run. */
const BATCH_ROWS = 1000;
const BATCH_BYTES = 1 << 20;

/** Predicts for any number of personas, in batches, several at a time. The first batch that fails ends the others. */
export async function predictBatches(
  client: ReportClient,
  { report, personas, concurrency }: Personas,
  signal: AbortSignal | undefined,
): Promise<Prediction[]> {
  const stop = new AbortController();
  // Every request adds a listener.
  setMaxListeners(0, stop.signal);
  const abort = (): void => stop.abort(signal?.reason);
  if (signal?.aborted) abort();
  else signal?.addEventListener('abort', abort);
  const predictions: Prediction[] = [];
  const batches = batchesOf(report, personas);
  const predict = async (): Promise<void> => {
    for (const { start, count, body } of batches) {
      const received = await client.batchPersona(report, body, count, stop.signal);
      for (let row = 0; row < count; row++) predictions[start + row] = predictionOf(received, row);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, predict));
  } catch (error) {
    stop.abort();
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  return predictions;
}

interface Personas {
  report: string;
  personas: readonly Features[];
  /** Requests at the same time. */
  concurrency: number;
}

interface Batch {
  start: number;
  count: number;
  body: Buffer;
}

function* batchesOf(report: string, personas: readonly Features[]): Generator<Batch> {
  let start = 0;
  let texts: string[] = [];
  let size = 0;
  const batch = (): Batch => ({
    start,
    count: texts.length,
    body: Buffer.from(`{"id":${JSON.stringify(report)},"personas":[${texts.join(',')}]}`),
  });
  for (const features of personas) {
    const text = JSON.stringify({ features });
    if (texts.length === BATCH_ROWS || (texts.length > 0 && size + text.length > BATCH_BYTES)) {
      yield batch();
      start += texts.length;
      texts = [];
      size = 0;
    }
    texts.push(text);
    size += text.length;
  }
  if (texts.length > 0) yield batch();
}
