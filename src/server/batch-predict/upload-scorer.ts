import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { countRows } from '../../formats/records/batch.ts';
import { LocalBatchScorer } from '../../models/local/local-batch-scorer.ts';
import { RecordScorer } from '../../models/local/record-scorer.ts';
import type { Model } from '../../models/model/model-file.ts';
import {
  LOCAL,
  type Outcome,
  type PartRequest,
  type Scorer,
  type ScorerInput,
} from '../../scoring/scorer.ts';
import type { ScoredReport } from '../predict/predictor.ts';
import { type ServiceThreads, THREAD_BYTES } from '../threads/service-threads.ts';
import type { UploadTurns } from './upload-turns.ts';

export interface UploadScorerOptions {
  model: Model;
  report: ScoredReport;
  threads: ServiceThreads;
  turns: UploadTurns;
  /** Rows per batch. */
  batchRows: number;
}

/**
 * Scores uploads by a model of the service: large batches in its threads, small ones on the main thread. No attempt fails,
 * unless the thread does, or the key of the upload has been revoked or has expired.
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
    if (layout.data !== undefined && batch.bytes.length >= THREAD_BYTES) {
      const data = { layout: layout.data, features, nulls, appended, counting };
      const unwanted = this.unwanted(signal);
      const asker = { key: turns.key, check: () => unwanted.throwIfAborted() };
      return threads.score(batch, { input: this.#number, data, model }, asker);
    }
    await turns.own();
    const { columns, classes, engine } = model;
    this.#own ??= new RecordScorer({
      layout,
      features,
      nulls,
      appended,
      counting,
      columns,
      classes,
      engine,
      memory: BatchMemory.create(),
    });
    return this.#own.score(batch);
  }

  override close(): void {
    super.close();
    this.#options.threads.closeInput(this.#number);
  }
}
