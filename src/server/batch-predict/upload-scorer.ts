import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RowcastError } from '../../base/errors.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { countRows } from '../../formats/records/batch.ts';
import { liveSource } from '../../formats/records/byte-source.ts';
import { LocalBatchScorer } from '../../models/local/local-batch-scorer.ts';
import { RecordScorer } from '../../models/local/record-scorer.ts';
import type { Model } from '../../models/model/model-file.ts';
import { type ScoredOutputStream, scoredStream } from '../../scoring/scored-stream.ts';
import {
  LOCAL,
  type Outcome,
  type PartRequest,
  type Scorer,
  type ScorerInput,
} from '../../scoring/scorer.ts';
import type { FairUse } from '../limits/fair-use.ts';
import { keyOf } from '../limits/shares.ts';
import type { Predictor, ScoredReport } from '../predict/predictor.ts';
import { onRequestEnd } from '../request-end.ts';
import type { Limits } from '../service-limits.ts';
import { LARGE_REQUEST_BYTES, type ServiceThreads } from '../threads/service-threads.ts';
import { parquetUpload, type UploadedFile } from './multipart-form.ts';

interface UploadScorerOptions {
  model: Model;
  report: ScoredReport;
  threads: ServiceThreads;
  turns: UploadTurns;
  /** Rows per batch. */
  batchRows: number;
}

/**
 * Scores uploads by a model of the service: large batches in its threads, small ones on the main thread. No attempt
 * fails, unless the thread does, or the key of the upload has been revoked or has expired.
 */
export function uploadScorer(options: UploadScorerOptions): Scorer {
  return {
    name: LOCAL,
    describe: async () => ({ ...options.report, tech_specs: {} }),
    learnedColumns: () => options.model.columns,
    open: input => new UploadBatches(options, input),
  };
}

class UploadBatches extends LocalBatchScorer {
  /** A thread has the next batch while the main thread merges and writes the last one. */
  readonly concurrency = 2;
  readonly #options: UploadScorerOptions;
  readonly #input: ScorerInput;
  /** The number of the input in the threads. */
  readonly #number: number;
  /** What scores batches on the main thread. */
  #own: RecordScorer | undefined;

  constructor(options: UploadScorerOptions, input: ScorerInput) {
    super(options.batchRows);
    this.#options = options;
    this.#input = input;
    this.#number = options.threads.newNumber();
  }

  maxBatchBytes(): number {
    return this.#input.batchBytes;
  }

  async tryPart({ batch }: PartRequest, signal: AbortSignal): Promise<Outcome> {
    const { model, threads, turns } = this.#options;
    const { layout, features, nulls, appended, counting } = this.#input;
    if (appended === undefined) throw new TypeError('open: the classes are not known');
    await turns.pace(countRows(batch));
    await turns.recheck();
    if (layout.data !== undefined && batch.bytes.length >= LARGE_REQUEST_BYTES) {
      const data = { layout: layout.data, features, nulls, appended, counting };
      const unwanted = this.unwanted(signal);
      const asker = { key: turns.key, check: () => unwanted.throwIfAborted() };
      return threads.score(batch, { input: this.#number, data, model }, asker);
    }
    await turns.own();
    const { columns, prediction, engine } = model;
    const data = { layout, features, nulls, appended, counting };
    this.#own ??= new RecordScorer({ ...data, columns, prediction, engine, memory: BatchMemory.create() });
    return this.#own.score(batch);
  }

  override close(): void {
    super.close();
    this.#options.threads.closeInput(this.#number);
  }
}

/** When the batches of an upload may be scored. */
export interface UploadTurns {
  /** The key that the upload is charged to. */
  key: string;
  /** Waits until the key may have this many more rows scored; rejects if the request ends meanwhile. */
  pace(rows: number): Promise<void>;
  /** Rejects if the key or the session of the upload has ended. */
  recheck(): Promise<void>;
  /** Waits for the key's turn on the main thread. */
  own(): Promise<void>;
}

/**
 * Makes the batches of an upload wait for the row rate limit of its key, and for their turns: an upload is slowed down
 * where other requests would be rejected.
 *
 * @param ended ends the waiting; by default, the end of the request
 */
export function uploadTurns(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    fairUse: { rowRate, turns },
    idleMs,
    ended,
  }: { fairUse: FairUse; idleMs: number; ended?: AbortSignal | undefined },
): UploadTurns {
  const key = keyOf(request);
  const { socket } = request.raw;
  const end = new AbortController();
  if (ended === undefined) onRequestEnd(reply, () => end.abort());
  return {
    key,
    recheck: () => request.recheck(),
    own: () => turns.next(key),
    async pace(rows) {
      const wait = rowRate.charge(key, rows);
      if (wait === 0) return;
      // The connection is idle because of the service, not the client.
      socket.setTimeout(0);
      await sleep(wait, undefined, { signal: ended ?? end.signal }).finally(() => socket.setTimeout(idleMs));
    },
  };
}

/** The maximum size of a batch; the result does not depend on it. */
const BATCH_BYTES = 1 << 20;
/** As much as a few batches of ordinary rows; a larger batch is scored alone. */
const WINDOW_BYTES = 1 << 20;

/**
 * Scores a CSV or JSON lines by a model of this service.
 *
 * @param upload its bytes, and a name that may tell its format
 * @throws RowcastError for an invalid file, such as `too_many_columns`; RequestError for Parquet
 */
export async function scoreUpload(
  { bytes, name }: Pick<UploadedFile, 'bytes' | 'name'>,
  { model, report, work }: Pick<Predictor, 'model' | 'report' | 'work'>,
  {
    limits,
    batchRows,
    ...scoring
  }: Omit<UploadScorerOptions, 'model' | 'report'> & { limits: Pick<Limits, 'recordBytes' | 'columns'> },
): Promise<ScoredOutputStream> {
  const scorer = uploadScorer({ model, report, ...scoring, batchRows: Math.min(batchRows, work.sliceRows) });
  const values = {
    report: '',
    batchBytes: BATCH_BYTES,
    maxRecordBytes: limits.recordBytes,
    maxColumns: limits.columns,
    nulls: [],
    allowMissing: false,
    prediction: false,
  };
  const source = { ...liveSource('upload', bytes), contentName: name };
  return scoredStream({ values, windowBytes: WINDOW_BYTES }, source, scorer).catch(error => {
    throw error instanceof RowcastError && error.code === 'needs_file' ? parquetUpload() : error;
  });
}
