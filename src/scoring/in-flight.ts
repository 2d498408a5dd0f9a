import pLimit from 'p-limit';
import type { Predictions } from '../base/contract/predictions.ts';
import type { Layout } from '../formats/format.ts';
import type { Batch } from '../formats/records/batch.ts';
import type { ScoreBatch } from './batch/score-batch.ts';
import type { MergedCopies } from './merge/merge.ts';
import type { BatchScorer, Scored, ScoredBatch } from './scorer.ts';

/** Which rows of the input are sent: all of them, or those whose predictions are not known. */
export interface SentRows extends MergedCopies {
  /** The layout by which the scorer reads and cuts what is sent. */
  readonly layout: Layout;
  /** Makes what sends them. */
  sender(scorer: BatchScorer, flight: Flight): Sender;
}

/** Sends the rows of one batch of the input after the other. */
interface Sender {
  send(batch: Batch): AsyncGenerator<Sent>;
  /** Sends what has waited for rows of further batches. */
  end(): AsyncGenerator<Sent>;
}

/** What is queued or in flight, in input order. */
export interface Sent {
  /** Waits for it, and returns the batches that can be merged then. */
  settled(): Promise<ScoredBatch> | AsyncGenerator<ScoredBatch>;
}

interface InFlightOptions {
  scorer: Pick<BatchScorer, 'concurrency' | 'memoryOf' | 'release'>;
  /** Scores a part, and confirms what was scored just before it is used. */
  scoring: Pick<ScoreBatch, 'score' | 'confirm'>;
  /** Memory limit for batches that are queued, in flight or waiting to be written. */
  windowBytes: number;
  /** Aborted when no queued part is to be scored any more. */
  stop: AbortSignal;
}

export type Flight = ReturnType<typeof inFlight>;

/** Batches that wait for a request to end, so that the next body is ready at once. */
const MAX_WAITING = 2;

/**
 * The requests in flight between two stages: one sends a part as soon as the window has space, the other waits until
 * it has settled. Both take the parts in input order, so results are in input order too, and a slow part delays only
 * itself until the window is full.
 *
 * Two limits apply: `concurrency` to the requests, and `windowBytes` to the memory of everything held.
 */
export function inFlight({ scorer, scoring, windowBytes, stop }: InFlightOptions) {
  const limit = pLimit(scorer.concurrency);
  let held = 0;
  let waiting = 0;
  /** Wakes the stage that sends, which is the only one that waits for space. */
  let onSpace: (() => void) | undefined;
  const spaceFor = async (bytes: number, mostWaiting: number): Promise<void> => {
    while (waiting >= mostWaiting || (held > 0 && held + bytes > windowBytes))
      await new Promise<void>(resolve => {
        onSpace = resolve;
      });
    changeHeld(bytes);
  };
  const changeHeld = (bytes: number): void => {
    held += bytes;
    onSpace?.();
  };
  const begin = (): void => {
    waiting--;
    onSpace?.();
    // Perhaps the part would be finished too late, and then it would be sent again.
    stop.throwIfAborted();
  };

  const scoreWhenFree = async (part: Batch, memory: number): Promise<ScoredBatch> => {
    const result = await limit(async () => {
      begin();
      return scoring.score(part).finally(() => {
        limit.concurrency = scorer.concurrency;
      });
    });
    scorer.release(part);
    const scored = { batch: part, ...result };
    changeHeld(memoryOfScored(scored) - memory);
    return scored;
  };

  const settle = async (attempt: Promise<ScoredBatch>): Promise<ScoredBatch> => {
    const scored = await attempt;
    changeHeld(-memoryOfBatch(scored.batch) - memoryOfScored(scored));
    return scoring.confirm(scored);
  };

  return {
    /** Sends a part when the window has space. */
    async send(part: Batch): Promise<{ settled(): Promise<ScoredBatch> }> {
      const memory = scorer.memoryOf(part);
      await spaceFor(memoryOfBatch(part) + memory, MAX_WAITING);
      waiting++;
      const scored = scoreWhenFree(part, memory);
      // `settled` awaits this in input order; an earlier failure must not count as an unhandled rejection.
      scored.catch(() => {});
      return { settled: () => settle(scored) };
    },
    /** Waits until the window has space for other memory, which is then held until it is freed. */
    reserve: (bytes: number): Promise<void> => spaceFor(bytes, Number.POSITIVE_INFINITY),
    free: (bytes: number): void => changeHeld(-bytes),
  };
}

/*
 * Memory overhead of a batch, measured on Node 20 with millions of tiny records: V8 stores an array element (a number
 * or a reference) in 8 bytes, and an object in a few dozen.
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
