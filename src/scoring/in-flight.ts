import pLimit from 'p-limit';
import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import { memoryOfBatch, memoryOfPredictions } from './batch-memory.ts';
import type { Encoded, Parsed } from './encode.ts';

export interface InFlightOptions {
  /** How many calls run at once, for now. */
  concurrency: () => number;
  /** Bytes of memory of the batches that are sent, or whose responses wait to be written. */
  windowBytes: number;
  call: (encoded: Encoded) => Promise<ReceivedPredictions>;
  /** Told of a body that is not needed any more. */
  release: (body: Buffer) => void;
}

/** A batch whose call is under way. */
export interface Sent {
  readonly scored: Promise<ScoredBatch>;
}

/** A batch with its answer; the body of its call is not needed any more. */
export interface ScoredBatch extends Parsed {
  readonly predictions: ReceivedPredictions;
}

/** Batches that are encoded and wait to be called: the next one is ready when a call ends. */
const MAX_WAITING = 2;

/**
 * Two stages that hold the calls between them: `send` starts a batch's call as soon as there is room in the
 * window, `settle` waits for its answer. Batches go from one to the other in input order, so answers leave in
 * input order too, and a slow batch delays only itself until the window is full.
 *
 * Two bounds with two names: `concurrency` for the calls that run, `windowBytes` for all that is held.
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
    const answer = await limit(() => {
      begin();
      return call(encoded).finally(() => {
        limit.concurrency = concurrency();
      });
    });
    release(body);
    hold(memoryOfPredictions(answer) - body.length);
    return { batch, faults, predictions: answer };
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
      // Settled in its turn: a failure that comes before its turn is no unhandled rejection.
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
