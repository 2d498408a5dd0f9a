import { Readable } from 'node:stream';
import { asStream, chain, flushable, gen } from 'stream-chain';
import type { Stopping } from '../base/interrupted.ts';
import { type Batch, countRows } from '../formats/records/batch.ts';
import type { LongField } from '../formats/records/batch-reader.ts';
import type { Position } from '../formats/records/position.ts';
import { readBatches } from '../formats/records/read-batches.ts';
import { joinParts } from './batch/join-predictions.ts';
import { ScoreBatch } from './batch/score-batch.ts';
import type { Counting } from './counting/counted-column.ts';
import { inFlight } from './in-flight.ts';
import { appendedOptionsFor, type MergeOptions } from './merge/appended-for.ts';
import { Merger } from './merge/merge.ts';
import type { MergedPiece } from './merge/merged-piece.ts';
import type { RowsPlan, ScoredRun } from './prepare.ts';
import type { KnownPredictions } from './reuse/known-rows.ts';
import type { BatchScorer, Feedback, Scored, ScoredBatch, TraceBatch } from './scorer.ts';

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
  stop?: Pick<Stopping, 'reading' | 'calling'> | undefined;
  /** What is counted; by default nothing. */
  counting?: Counting | undefined;
  /** Called for the first suspiciously long quoted field. */
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
 *     source ─bytes→ records ─batches→ in flight (attempts) ─predictions→ merge ─bytes→ parts of the output
 *
 * A part must be written before the next one is requested: its memory is reused then.
 */
export async function* stages(
  { shard, windowBytes = WINDOW_BYTES }: Pick<ScoredRun, 'shard' | 'windowBytes'>,
  { source, values, features, report, layout, ...plan }: RowsPlan,
  { rest, start, hasScored = false, resumed, stop = neverStopped(), counting, known, ...watch }: StagesStart,
): AsyncGenerator<MergedPiece> {
  const file = source.name;
  const { dependsOnBatch: onGrid } = plan.scorer;
  const merging = { ...values, layout, report, planned: shard?.predictionType, resumed, counting, onGrid };
  const appended = appendedOptionsFor(merging);
  const classes = values.classes ?? report.classes;
  // Loaded only when it is needed.
  const { dedupe = false, batchRows } = values;
  const reuse =
    known === undefined && !dedupe
      ? undefined
      : (await import('./reuse/known-rows.ts')).knownStages({
          source,
          features,
          batchRows,
          merging,
          known,
          areEqualSentOnce: dedupe,
        });
  const rows = reuse?.rows;
  const cut = reuse?.layout ?? layout;
  const scorer = plan.scorer.open({ ...values, classes, layout: cut, features, appended, counting });
  const merger = new Merger({ ...merging, withCopies: reuse?.withCopies });
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
    // A file that is not text has no quotes that could be missing.
    onLongField: layout.rows === undefined ? unlessInHeader(layout, watch.onLongField) : undefined,
  });
  const batches = failLast(readBatches({ records, rest, source, stop: stop.reading }));
  const scoring = new ScoreBatch({ file, layout: cut, scorer, feedback, hasScored, signal: stop.calling });
  const score = scoreTraced(part => scoring.score(part), watch.traceBatch);
  const scoreUnlessStopped = async (part: Batch): Promise<Scored> => {
    // It would be finished too late, perhaps, and then sent again.
    stop.reading.throwIfAborted();
    return score(part);
  };
  const seen = (batch: Batch): void => {
    if (isOnlyRow(batch)) watch.onUnended?.(batch.start);
  };
  const parts = function* (batch: Batch): Generator<Batch> {
    seen(batch);
    yield* scorer.parts(batch);
  };
  const flight = inFlight({ scorer, windowBytes, score: scoreUnlessStopped });
  const { send, settle } = flight;
  const confirm = confirmScored(scorer, score);
  const merge = flushable((scored: ScoredBatch) => merger.merge(scored), merger.end.bind(merger));
  const output = chain(
    [
      Readable.from(rows?.steps(batches.items, scorer, seen) ?? batches.items, { highWaterMark: 1 }),
      asStream(rows === undefined ? gen(parts, send) : gen(rows.send(flight)), boundedByWindow),
      asStream(
        rows === undefined ? gen(settle, confirm, merge) : gen(rows.settle(flight, confirm), merge),
        unbuffered,
      ),
    ],
    unbuffered,
  );
  try {
    for await (const part of output) {
      yield part;
      feedback.releaseRecords(part.end);
    }
  } finally {
    scorer.close?.();
  }
  batches.throwFailure();
  if (!stop.reading.aborted) await scorer.confirmAll();
}

/** Whether a batch is the first row of an input, which ends there without a line ending. */
const isOnlyRow = ({ mayBeTruncated, ends, start, bytes }: Batch): boolean =>
  mayBeTruncated && ends.length === 1 && start.row === 1 && bytes.at(-1) !== CR;

/** Each input gets signals of its own, because what depends on a signal stays registered with it. */
function neverStopped(): Pick<Stopping, 'reading' | 'calling'> {
  const { signal } = new AbortController();
  return { reading: signal, calling: signal };
}

function scoreTraced(score: (part: Batch) => Promise<Scored>, trace: TraceBatch | undefined): typeof score {
  if (trace === undefined) return score;
  return part => trace({ row: part.start.row, rows: countRows(part) }, () => score(part));
}

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

/** Reports a long field in the header. Otherwise, returns the callback for the first one in a record. */
function unlessInHeader(
  { longName: inHeader }: RowsPlan['layout'],
  onLongField: StagesStart['onLongField'],
): StagesStart['onLongField'] {
  if (inHeader === undefined) return onLongField;
  onLongField?.(inHeader);
  return undefined;
}

/**
 * The last stage at which predictions can be replaced. A batch whose response came on a connection that mixed up
 * responses is scored again; any other is about to be written.
 *
 * @param score scores a part
 */
function confirmScored(
  scorer: Pick<BatchScorer, 'parts' | 'confirm'>,
  score: (part: Batch) => Promise<Scored>,
): (scored: ScoredBatch) => Promise<ScoredBatch> {
  const again = async (batch: Batch): Promise<Scored> => {
    const parts: ScoredBatch[] = [];
    for (const part of scorer.parts(batch)) parts.push({ ...(await score(part)), batch: part });
    return joinParts(parts);
  };
  return async scored => {
    const { batch } = scored;
    let confirmed = scored;
    while (!scorer.confirm(confirmed.predictions, batch.start.row))
      confirmed = { ...(await again(batch)), batch };
    return confirmed;
  };
}
