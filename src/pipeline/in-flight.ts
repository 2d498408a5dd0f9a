import pLimit from 'p-limit';
import type { Answer } from '../api/answer.ts';
import type { Encoded, Parsed } from './encode.ts';

export interface InFlightOptions {
  /** Calls that run at once. */
  concurrency: number;
  /** Bytes of batches that are sent, or answered and waiting to be written. */
  windowBytes: number;
  call: (encoded: Encoded) => Promise<Answer>;
}

/** A batch whose call is under way. */
export interface Sent {
  readonly encoded: Encoded;
  readonly answer: Promise<Answer>;
}

/** A batch with its answer. */
export interface Answered {
  readonly parsed: Parsed;
  readonly answer: Answer;
}

/**
 * Two stages that hold the calls between them: `send` starts a batch's call as soon as there is room in the
 * window, `settle` waits for its answer. Batches go from one to the other in input order, so answers leave in
 * input order too, and a slow batch delays only itself until the window is full.
 *
 * Two bounds with two names: `concurrency` for the calls that run, `windowBytes` for all that is held.
 */
export function inFlight({ concurrency, windowBytes, call }: InFlightOptions): {
  send(encoded: Encoded): Promise<Sent>;
  settle(sent: Sent): Promise<Answered>;
} {
  const limit = pLimit(concurrency);
  let held = 0;
  let onRoom: (() => void) | undefined;

  return {
    async send(encoded) {
      const size = sizeOf(encoded);
      while (held > 0 && held + size > windowBytes)
        await new Promise<void>(resolve => {
          onRoom = resolve;
        });
      held += size;
      const answer = limit(() => call(encoded));
      // Settled in its turn: a failure that comes before its turn is no unhandled rejection.
      answer.catch(() => {});
      return { encoded, answer };
    },
    async settle({ encoded, answer }) {
      const answered = { parsed: encoded, answer: await answer };
      held -= sizeOf(encoded);
      onRoom?.();
      return answered;
    },
  };
}

const sizeOf = ({ batch, body }: Encoded): number => batch.bytes.length + body.length;
