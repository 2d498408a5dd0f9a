import { Readable } from 'node:stream';
import { asStream, chain, flushable, gen } from 'stream-chain';
import type { Client } from '../client/client.ts';
import { longFieldOfHeader } from '../formats/csv/long-field.ts';
import type { Position } from '../formats/csv/position.ts';
import { readBatches } from '../formats/csv/read-batches.ts';
import { RecordReader } from '../formats/csv/record-reader.ts';
import type { MergedPart } from '../runs/merged-part.ts';
import { batchLimits } from './batch-size.ts';
import { BodyWriter } from './body-writer.ts';
import { encode, rowOverhead } from './encode.ts';
import type { Feedback } from './feedback.ts';
import { inFlight, type ScoredBatch } from './in-flight.ts';
import type { RunObserver } from './observer.ts';
import type { Plan } from './prepare.ts';
import { rescoreSuspect } from './rescore-suspect.ts';
import { batchScorer } from './score-batch.ts';
import type { Stopping } from './stop.ts';

/**
 * Maximum bytes in flight, including request bodies: enough that one request in a hundred may take twenty times as long
 * as the others without delaying them (test/bench/RESULTS.md).
 */
export const WINDOW_BYTES = 32 << 20;

/** Where a run begins, and what it is told meanwhile. */
export interface StagesOptions {
  client: Client;
  /** Bytes of the source that were read already, and the position of the first one. */
  rest: Buffer;
  start: Position;
  /** Whether the run being resumed has scored any row. */
  hasScored: boolean;
  stop: Pick<Stopping, 'reading' | 'calling'>;
  onLongField: RunObserver['onLongField'];
}

/**
 * The stages of scoring, composed:
 *
 *     source ─bytes→ records ─batches→ in flight (encode, request, retry) ─predictions→ merge ─bytes→ parts of the output
 *
 * A part must have been written when the next one is asked for.
 */
export async function* stages(plan: Plan, options: StagesOptions): AsyncGenerator<MergedPart> {
  const { source, features, merger, head } = plan;
  const { client, rest, start, hasScored, stop } = options;
  const { dialect, names } = head.header;
  const input = { file: source.name, width: names.length, dialect };
  const overhead = rowOverhead(features, client.wire);
  const limits = batchLimits(plan.options.batchBytes, overhead);
  const records = new RecordReader({
    ...plan.options,
    ...input,
    batchBytes: limits.maxBatchBytes,
    rowOverhead: overhead,
    start,
    onLongField: unlessInHeader(plan, options.onLongField),
  });
  const bodyWriter = new BodyWriter();
  const feedback: Feedback = {
    classes: () => merger.classes,
    limits,
    releaseBody: body => bodyWriter.release(body),
    releaseRecords: ({ offset }) => records.release(offset),
  };
  const toBody = encode({
    ...plan.options,
    ...input,
    bodyWriter,
    batchBytes: limits.maxBodyBytes,
    features,
    wire: client.wire,
  });
  const call = batchScorer({
    ...input,
    client,
    report: plan.options.report,
    toBody,
    feedback,
    hasScored,
    signal: stop.calling,
  });
  const { send, settle } = inFlight({
    concurrency: () => client.concurrency,
    windowBytes: WINDOW_BYTES,
    call,
    release: feedback.releaseBody,
  });
  const rescore = rescoreSuspect({ toBody, call, check: () => client.checkWritten() });
  const merge = flushable((scored: ScoredBatch) => merger.merge(scored), merger.end.bind(merger));

  const batches = failLast(readBatches({ records, rest, source, stop: stop.reading }));
  const parts = chain(
    [
      Readable.from(batches.items, { highWaterMark: 1 }),
      asStream(gen(toBody, send), boundedByWindow),
      asStream(gen(settle, rescore, merge), unbuffered),
    ],
    unbuffered,
  );
  for await (const part of parts) {
    yield part;
    feedback.releaseRecords(part.end);
  }
  batches.throwFailure();
}

/**
 * `send` limits the bytes in flight, so the stream's own buffer needs no limit. (`highWaterMark` would override both.)
 */
const boundedByWindow = { writableHighWaterMark: 1, readableHighWaterMark: Number.MAX_SAFE_INTEGER };
/** Settled batches are no longer counted in the window, so few of them may wait to be written. */
const unbuffered = { writableHighWaterMark: 1, readableHighWaterMark: 1 };

/**
 * An error in a Node stream discards what is in flight. The batches before an error of the input are good and shall be
 * written, so it ends them without an error, and is thrown after they were written.
 */
function failLast<T>(source: AsyncIterable<T>): { items: AsyncGenerator<T>; throwFailure(): void } {
  let failures: unknown[] = [];
  async function* items(): AsyncGenerator<T> {
    try {
      yield* source;
    } catch (failure) {
      failures = [failure];
    }
  }
  return {
    items: items(),
    throwFailure() {
      for (const failure of failures) throw failure;
    },
  };
}

/** Reports a long field in the header; if there is none, returns the callback for the first one in a record. */
function unlessInHeader({ head }: Plan, onLongField: RunObserver['onLongField']): RunObserver['onLongField'] {
  const inHeader = longFieldOfHeader(head.header);
  if (inHeader === undefined) return onLongField;
  onLongField?.(inHeader);
  return undefined;
}
