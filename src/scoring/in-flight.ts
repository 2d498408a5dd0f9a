import pLimit from 'p-limit';
import type { Predictions } from '../base/contract/predictions.ts';
import type { Batch } from '../formats/records/batch.ts';
import type { BatchScorer, Scored, ScoredBatch } from './scorer.ts';

interface InFlightOptions {
  scorer: Pick<BatchScorer, 'concurrency' | 'memoryOf' | 'release'>;
  /** Memory limit for batches that are queued, in flight or waiting to be written. */
  windowBytes: number;
  /** Scores a part. */
  score: (part: Batch) => Promise<Scored>;
}

/** A batch that is queued or in flight. */
export interface Sent {
  readonly scored: Promise<ScoredBatch>;
}

/** Batches that wait for a request to end, so that the next body is ready at once. */
const MAX_WAITING = 2;

/**
 * Two stages with the in-flight requests between them: `send` starts a batch's request as soon as the window has space,
 * `settle` waits for its response. Batches pass both in input order, so results are in input order too, and a slow
 * batch delays only itself until the window is full.
 *
 * Two limits apply: `concurrency` to the requests, and `windowBytes` to the memory of everything held.
 */
export function inFlight({ scorer, windowBytes, score }: InFlightOptions): {
  send(part: Batch): Promise<Sent>;
  settle(sent: Sent): Promise<ScoredBatch>;
  /** Waits until the window has space for other memory, which is then held until it is freed. */
  reserve(bytes: number): Promise<void>;
  free(bytes: number): void;
} {
  const limit = pLimit(scorer.concurrency);
  let held = 0;
  let waiting = 0;
  let onSpace: (() => void) | undefined;
  const spaceFor = async (bytes: number, mostWaiting: number): Promise<void> => {
    while (waiting >= mostWaiting || (held > 0 && held + bytes > windowBytes))
      await new Promise<void>(resolve => {
        onSpace = resolve;
      });
    hold(bytes);
  };
  const hold = (bytes: number): void => {
    held += bytes;
    onSpace?.();
  };
  const begin = (): void => {
    waiting--;
    onSpace?.();
  };

  const scoreWhenFree = async (batch: Batch, memory: number): Promise<ScoredBatch> => {
    const result = await limit(() => {
      begin();
      return score(batch).finally(() => {
        limit.concurrency = scorer.concurrency;
      });
    });
    scorer.release(batch);
    const scored = { batch, ...result };
    hold(memoryOfScored(scored) - memory);
    return scored;
  };

  return {
    async send(part) {
      const memory = scorer.memoryOf(part);
      await spaceFor(memoryOfBatch(part) + memory, MAX_WAITING);
      waiting++;
      const scored = scoreWhenFree(part, memory);
      // `settle` awaits this in input order; an earlier failure must not count as an unhandled rejection.
      scored.catch(() => {});
      return { scored };
    },
    reserve: bytes => spaceFor(bytes, Number.POSITIVE_INFINITY),
    free: bytes => hold(-bytes),
    async settle(sent) {
      const scored = await sent.scored;
      hold(-memoryOfBatch(scored.batch) - memoryOfScored(scored));
      return scored;
    },
  };
}

/*
 * Memory overhead of a batch, measured on Node 20 with millions of tiny records: V8 stores an array element (a number or
 * a reference) in 8 bytes, and an object in a few dozen.
 */

/** The batch's objects, its promises and its queue entry. */
const BATCH_BYTES = 4096;
/** A record's elements of `ends` and `kinds`, including the spare capacity of growing arrays. */
const RECORD_BYTES = 24;
/** A map entry, its object and the text of its reason; while it is written, also a copy of the record. */
const REJECT_BYTES = 400;

/** Bytes of memory that a batch uses until it is written, without its request body. */
export function memoryOfBatch(batch: Batch): number {
  return BATCH_BYTES + batch.bytes.length + RECORD_BYTES * batch.ends.length;
}

export const memoryOfFaults = ({ size }: ReadonlyMap<number, unknown>): number => REJECT_BYTES * size;

/** Bytes of memory that the result of an attempt uses until it is written. */
export function memoryOfScored({ faults, predictions, merged }: Scored): number {
  const { errors } = predictions;
  let bytes = memoryOfFaults(faults) + memoryOfValues(predictions) + REJECT_BYTES * errors.size;
  bytes += merged?.bytes.buffer.byteLength ?? 0;
  // V8 uses two bytes per character if any of them is not Latin-1.
  for (const { code, message } of errors.values()) bytes += 2 * (code.length + message.length);
  return bytes;
}

function memoryOfValues(predictions: Predictions): number {
  switch (predictions.kind) {
    case 'distribution':
      return predictions.probabilities.byteLength;
    case 'numbers':
      return predictions.values.byteLength;
    case 'label':
      return predictions.labels.reduce((sum, { length }) => sum + 2 * length, predictions.indices.byteLength);
  }
}
