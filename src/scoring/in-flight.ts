import pLimit from 'p-limit';
import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import { memoryOfBatch, memoryOfPredictions } from './batch-memory.ts';
import type { Encoded, Parsed } from './encode.ts';

export interface InFlightOptions {
  /** The current maximum of concurrent requests. */
  concurrency: () => number;
  /** Memory limit for batches that are queued, in flight or waiting to be written. */
  windowBytes: number;
  call: (encoded: Encoded) => Promise<ReceivedPredictions>;
  /** Called with each body that is no longer needed. */
  release: (body: Buffer) => void;
}

/** A batch that is queued or in flight. */
export interface Sent {
  readonly scored: Promise<ScoredBatch>;
}

/** A batch with its predictions; its request body was released. */
export interface ScoredBatch extends Parsed {
  readonly predictions: ReceivedPredictions;
}

/** Encoded batches that wait for a request to end, so that the next body is ready at once. */
const MAX_WAITING = 2;

/**
 * Two stages with the in-flight requests between them: `send` starts a batch's request as soon as the window has room,
 * `settle` waits for its response. Batches pass both in input order, so results are in input order too, and a slow batch
 * delays only itself until the window is full.
 *
 * Two limits apply: `concurrency` to the requests, and `windowBytes` to the memory of everything held.
 */
export function inFlight({ concurrency, windowBytes, call, release }: InFlightOptions): {
  send(encoded: Encoded): Promise<Sent>;
  settle(sent: Sent): Promise<ScoredBatch>;
} {
  const limit = pLimit(concurrency());
  let held = 0;
  let waiting = 0;
  let onRoom: (() => void) | undefined;
  const hold = (bytes: number): void => {
    held += bytes;
    onRoom?.();
  };
  const begin = (): void => {
    waiting--;
    onRoom?.();
  };

  const callWhenFree = async (encoded: Encoded): Promise<ScoredBatch> => {
    const { batch, faults, body } = encoded;
    const predictions = await limit(() => {
      begin();
      return call(encoded).finally(() => {
        limit.concurrency = concurrency();
      });
    });
    release(body);
    hold(memoryOfPredictions(predictions) - body.length);
    return { batch, faults, predictions };
  };

  return {
    async send(encoded) {
      const size = memoryOfBatch(encoded) + encoded.body.length;
      while (waiting >= MAX_WAITING || (held > 0 && held + size > windowBytes))
        await new Promise<void>(resolve => {
          onRoom = resolve;
        });
      hold(size);
      waiting++;
      const scored = callWhenFree(encoded);
      // `settle` awaits this in input order; an earlier failure must not count as an unhandled rejection.
      scored.catch(() => {});
      return { scored };
    },
    async settle(sent) {
      const scored = await sent.scored;
      hold(-memoryOfBatch(scored) - memoryOfPredictions(scored.predictions));
      return scored;
    },
  };
}
