import { Readable } from 'node:stream';
import { asStream, chain, flushable, gen } from 'stream-chain';
import type { Stopping } from '../base/interrupted.ts';
import type { Batch } from '../formats/records/batch.ts';
import type { Position } from '../formats/records/position.ts';
import { type LongField, readBatches } from '../formats/records/read-batches.ts';
import { ScoreBatch } from './batch/score-batch.ts';
import type { Counting } from './counting/counted-column.ts';
import { inFlight, type Sent, type SentRows } from './in-flight.ts';
import { appendedOptionsFor, type MergeOptions } from './merge/appended-for.ts';
import { Merger } from './merge/merge.ts';
import type { MergedPiece } from './merge/merged-piece.ts';
import type { RowsPlan, ScoredRun } from './prepare.ts';
import type { KnownPredictions } from './reuse/known-rows.ts';
import type { Feedback, ScoredBatch, TraceBatch } from './scorer.ts';

/** A line ending of old files. */
const CR = 0x0d;

/**
 * Maximum bytes in flight, including request bodies: enough that one request in a hundred may take twenty times as long
 * as the others without delaying them (test/bench/RESULTS.md).
 */
export const WINDOW_BYTES = 32 << 20;

/** Where the stages begin, what stops them, and what is called on the way. */
interface StagesStart {
  /** Bytes of the source that were read already, and the position of the first one. */
  rest: Buffer;
  start: Position;
  /** Whether the run being resumed has scored any row. */
  hasScored?: boolean;
  resumed?: MergeOptions['resumed'];
  stop: Pick<Stopping, 'reading' | 'calling'>;
  /** What is counted; by default nothing. */
  counting?: Counting | undefined;
  /** Called for the first suspiciously long quoted field, or name of a column. */
  onLongField?: ((field: LongField) => void) | undefined;
  /** Called with the position of the only row of the input if that ends without a line ending. */
  onUnended?: ((row: Position) => void) | undefined;
  traceBatch?: TraceBatch | undefined;
  /** Predictions that need not be asked for. */
  known?: KnownPredictions | undefined;
}

/**
 * The stages of scoring, composed:
 *
 *     source ─bytes→ records ─batches→ in flight (attempts) ─predictions→ merge ─bytes→ pieces of the output
 *
 * A piece must be written before the next one is requested: its memory is reused then.
 */
export async function* stages(
  { shard, windowBytes = WINDOW_BYTES }: Pick<ScoredRun, 'shard' | 'windowBytes'>,
  plan: RowsPlan,
  { rest, start, hasScored = false, resumed, stop, counting, known, ...watch }: StagesStart,
): AsyncGenerator<MergedPiece> {
  const { source, values, features, report, layout } = plan;
  const { name: file } = source;
  const { dependsOnBatch: onGrid } = plan.scorer;
  const merging = { ...values, layout, report, planned: shard?.predictionType, resumed, counting, onGrid };
  const rows = await sentRows(plan, merging, known);
  const scorer = plan.scorer.open({
    ...values,
    classes: values.classes ?? report.classes,
    layout: rows.layout,
    features,
    appended: appendedOptionsFor(merging),
    counting,
  });
  const merger = new Merger({ ...merging, withCopies: rows.withCopies });
  const feedback: Feedback = {
    predictionType: () => merger.predictionType,
    maxBatchBytes: () => scorer.maxBatchBytes(),
    releaseRecords({ offset }) {
      records.release(offset);
      scorer.written?.(offset);
      merger.written(offset);
    },
  };
  const records = layout.records({
    ...values,
    file,
    batchRows: values.batchRows ?? scorer.batchRows,
    onGrid,
    batchBytes: feedback.maxBatchBytes,
    rowOverhead: scorer.rowOverhead,
    isShared: scorer.sharesMemory ?? false,
    start,
    // Records that begin there or after it are of another shard.
    end: shard?.range?.end,
    onLongField: reportLongName(layout, watch.onLongField),
  });
  const batches = failLast(readBatches({ records, rest, source, stop: stop.reading }));
  const signal = stop.calling;
  const trace = watch.traceBatch;
  const scoring = new ScoreBatch({ file, layout: rows.layout, scorer, feedback, hasScored, signal, trace });
  const sender = rows.sender(scorer, inFlight({ scorer, scoring, windowBytes, stop: stop.reading }));

  const notice = noticeUnended(watch.onUnended);
  const send = flushable(
    (batch: Batch) => sender.send(batch),
    () => sender.end(),
  );
  const settle = (sent: Sent) => sent.settled();
  const merge = flushable(
    (scored: ScoredBatch) => merger.merge(scored),
    () => merger.end(),
  );
  // `gen` makes a stage of functions, each of which may give any number of values; `flushable` adds what one gives at the
  // end. What is in flight waits between the two stages.
  const pieces = chain(
    [
      Readable.from(batches.items, { highWaterMark: 1 }),
      asStream(gen(notice, send), boundedByWindow),
      asStream(gen(settle, merge), unbuffered),
    ],
    unbuffered,
  );
  try {
    for await (const piece of pieces) {
      yield piece;
      feedback.releaseRecords(piece.end);
    }
  } finally {
    scorer.close?.();
  }
  batches.throwFailure();
  if (!stop.reading.aborted) await scorer.confirmAll();
}

/** All rows are sent, unless the predictions of some are known: from an earlier output, or from an equal row. */
async function sentRows(
  { source, features, values: { batchRows, dedupe = false }, layout }: RowsPlan,
  merging: MergeOptions & Pick<StagesStart, 'counting'>,
  known: KnownPredictions | undefined,
): Promise<SentRows> {
  if (known === undefined && !dedupe)
    return {
      layout,
      sender: (scorer, flight) => ({
        async *send(batch) {
          for (const part of scorer.parts(batch)) yield await flight.send(part);
        },
        async *end() {},
      }),
    };
  // Loaded only when it is needed.
  const { unknownRows } = await import('./reuse/known-rows.ts');
  return unknownRows({ source, features, batchRows, merging, known, areEqualSentOnce: dedupe });
}

/** Reports a batch that is the only row of the input, which ends there without a line ending. */
const noticeUnended =
  (onUnended: StagesStart['onUnended']) =>
  (batch: Batch): Batch => {
    const { mayBeTruncated, ends, start, bytes } = batch;
    if (mayBeTruncated && ends.length === 1 && start.row === 1 && bytes.at(-1) !== CR) onUnended?.(start);
    return batch;
  };

/**
 * `send` limits the bytes in flight, so the stream's own buffer needs no limit. (`highWaterMark` would override both.)
 */
const boundedByWindow = { writableHighWaterMark: 1, readableHighWaterMark: Number.MAX_SAFE_INTEGER };
/** Settled batches are no longer counted in the window, so few of them may wait to be written. */
const unbuffered = { writableHighWaterMark: 1, readableHighWaterMark: 1 };

/**
 * An error in a Node stream discards what is in flight. The batches before an error of the input are good and must be
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

/**
 * Reports a long name in the header.
 *
 * @returns what is called for the first long field of a record, if the header has none
 */
function reportLongName(
  { longName, rows }: RowsPlan['layout'],
  onLongField: StagesStart['onLongField'],
): StagesStart['onLongField'] {
  // A file that is not text has no quotes that could be missing.
  if (rows !== undefined) return undefined;
  if (longName === undefined) return onLongField;
  onLongField?.(longName);
  return undefined;
}
