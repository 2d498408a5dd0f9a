import { type CallStatistics, recordLatency } from '../../base/contract/call-statistics.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { type Appended, maxMergedBytes } from '../../formats/appended.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import { allocatedFor, OutputBuffers } from '../../scoring/merge/output-buffers.ts';
import type { Outcome, PartRequest, Scored, ScorerInput } from '../../scoring/scorer.ts';
import type { StoredModel } from '../model/compiled-model.ts';
import { engineOf } from '../model/engine.ts';
import { LocalBatchScorer } from './local-batch-scorer.ts';
import { RecordScorer } from './record-scorer.ts';
import type { RowPace } from './row-pace.ts';
import { BATCHES_EACH, type ScoringThreads } from './threads/scoring-threads.ts';
import { type InputData, type SharedModel, sharedModel } from './threads/thread-messages.ts';

/** The maximum size of a batch: it takes a thread some milliseconds. */
const BATCH_BYTES = 1 << 18;
/** The maximum size of what may be appended to a batch, if there are many classes. */
const MAX_APPENDED_BYTES = 4 << 20;

interface LocalBatchesOptions {
  input: ScorerInput;
  model: StoredModel;
  threads: ScoringThreads;
  pace: RowPace;
  statistics: CallStatistics;
  /** Free memory of this thread, which inputs use one after the other. */
  memories: BatchMemory[];
}

/** What scores batches in this thread, and its memory, if it can have any. */
interface OwnScorer {
  scorer: RecordScorer;
  memory: BatchMemory | undefined;
}

/**
 * Scores the batches of one input. If the first one is small, it is scored in this thread, because most files are
 * small, and so are the following ones until the threads are ready.
 */
export class LocalBatches extends LocalBatchScorer {
  readonly concurrency: number;
  readonly sharesMemory: boolean;
  readonly #options: LocalBatchesOptions;
  /** The number of the input in the threads. */
  readonly #number: number;
  readonly #data: Omit<InputData, 'layout'>;
  #shared: SharedModel | undefined;
  /** Shared with the threads that merge. */
  readonly #outputs = new OutputBuffers(bytes => Buffer.from(new SharedArrayBuffer(bytes)));
  /** Bytes that may be appended to a row. */
  readonly #maxAppended: Pick<Appended, 'maxBytes' | 'growth'>;
  /** What scores batches in this thread. */
  #own: OwnScorer | undefined;

  constructor(options: LocalBatchesOptions) {
    const { input, threads } = options;
    const { layout, features, nulls, appended, counting } = input;
    if (appended === undefined) throw new TypeError('open: the classes are not known');
    const columns = layout.appended(appended);
    super(Math.max(1, Math.floor(MAX_APPENDED_BYTES / columns.maxBytes)));
    this.#options = options;
    this.#number = threads.newInput();
    this.#data = { features, nulls, appended, counting };
    this.#maxAppended = columns;
    this.sharesMemory = layout.data !== undefined;
    this.concurrency = BATCHES_EACH * threads.count;
  }

  override memoryOf(part: Batch): number {
    return allocatedFor(this.#mergedBytes(part) + endsBytes(part));
  }

  maxBatchBytes(): number {
    return Math.min(this.#options.input.batchBytes, BATCH_BYTES);
  }

  async tryPart({ batch }: PartRequest, signal: AbortSignal): Promise<Outcome> {
    const { pace, statistics } = this.#options;
    const unwanted = this.unwanted(signal);
    await pace.next(countRows(batch), unwanted);
    unwanted.throwIfAborted();
    const begun = performance.now();
    statistics.inFlight++;
    try {
      const scored = await this.#score(batch);
      statistics.calls++;
      recordLatency(statistics, begun);
      return scored;
    } finally {
      statistics.inFlight--;
    }
  }

  #mergedBytes({ bytes, ends }: Batch): number {
    return maxMergedBytes(bytes.length, ends.length, this.#maxAppended);
  }

  async #score(batch: Batch): Promise<Scored> {
    const { input, threads } = this.#options;
    const { data } = input.layout;
    const length = this.#mergedBytes(batch);
    const memory = this.#outputs.take(length + endsBytes(batch), batch.end.offset);
    const into = memory.subarray(0, length);
    if (data !== undefined && (this.#own !== undefined || this.#isLarge(batch))) {
      threads.startIfBusy();
      const thread = threads.idlest(this.#own === undefined);
      if (thread !== undefined) {
        // While the thread starts.
        this.#shared ??= sharedModel(this.#options.model);
        const opened = { input: { layout: data, ...this.#data }, shared: this.#shared };
        const shared = withSharedEnds(batch, memory.subarray(length));
        return thread.score(this.#number, opened, { batch: shared, into });
      }
    }
    this.#own ??= this.#openHere();
    return this.#own.scorer.score(batch, into);
  }

  /** Whether a batch is so large that more are likely to follow. */
  #isLarge({ bytes, ends }: Batch): boolean {
    return bytes.length > this.maxBatchBytes() / 2 || ends.length === this.batchRows;
  }

  #openHere(): OwnScorer {
    const { input, model, memories } = this.#options;
    const { columns, prediction, predictor } = model;
    const { layout } = input;
    const engine = engineOf(predictor);
    const memory = memories.pop() ?? BatchMemory.create();
    return {
      scorer: new RecordScorer({ ...this.#data, layout, columns, prediction, engine, memory }),
      memory,
    };
  }

  written(offset: number): void {
    this.#outputs.release(offset);
  }

  override close(): void {
    super.close();
    this.#options.threads.closeInput(this.#number);
    this.#own?.scorer.close();
    const { memory } = this.#own ?? {};
    this.#own = undefined;
    memory?.reset();
    if (memory !== undefined) this.#options.memories.push(memory);
  }
}

/** Bytes in shared memory for the ends and kinds of the records of a batch, wherever they begin. */
export const endsBytes = ({ ends, kinds }: Pick<Batch, 'ends' | 'kinds'>): number =>
  ends.byteLength + kinds.byteLength + Int32Array.BYTES_PER_ELEMENT;

/**
 * A batch whose ends and kinds are in shared memory. What a thread gets as a copy in a message becomes garbage that V8
 * does not collect before it is 64 MB (Node 24 and 26).
 *
 * @param memory at least `endsBytes`
 */
export function withSharedEnds(batch: Batch, { buffer, byteOffset }: Uint8Array): Batch {
  const size = Int32Array.BYTES_PER_ELEMENT;
  const ends = new Int32Array(buffer, Math.ceil(byteOffset / size) * size, batch.ends.length);
  ends.set(batch.ends);
  const kinds = new Uint8Array(buffer, ends.byteOffset + ends.byteLength, batch.kinds.length);
  kinds.set(batch.kinds);
  return { ...batch, ends, kinds };
}
