import { availableParallelism } from 'node:os';
import { createHistogram } from 'node:perf_hooks';
import type { CallStatistics } from '../contract/call-statistics.ts';
import type { Features } from '../contract/schemas.ts';
import type { SharedPace } from '../contract/shared-pace.ts';
import type { Appended } from '../formats/csv/appended-columns.ts';
import { type Batch, countRows } from '../formats/csv/batch.ts';
import { BatchMemory } from '../kernel/batch-memory.ts';
import type { Model } from '../reports/model/model-file.ts';
import { engineOf, type StoredModel } from '../reports/model/stored-model.ts';
import { checkReadable } from '../reports/report-folder.ts';
import { type LocalReport, loadReportModel, readLocalReport } from '../reports/report-model.ts';
import type { Attempt, AttemptRequest, BatchScorer, Scored, Scorer, ScorerInput } from '../scoring/scorer.ts';
import { hintAtUrl } from './hint-at-url.ts';
import { LocalBatchScorer } from './local-batch-scorer.ts';
import { allocatedFor, OutputBuffers } from './output-buffers.ts';
import { type Prediction, predictPersonas } from './predict-personas.ts';
import { maxMergedBytes, RecordScorer } from './record-scorer.ts';
import { RowPace } from './row-pace.ts';
import { BATCHES_EACH, ScoringThreads } from './threads/scoring-threads.ts';
import { type SharedModel, sharedModel } from './threads/shared-model.ts';
import type { InputData } from './threads/thread-messages.ts';

/** The maximum size of a batch: it takes a thread some milliseconds. */
const BATCH_BYTES = 1 << 18;
/** The maximum size of what may be appended to a batch, if there are many classes. */
const MAX_APPENDED_BYTES = 4 << 20;

export interface LocalScorerOptions {
  /** The folder of the local reports. */
  home?: string;
  /** By default the number of cores. */
  threads?: number | undefined;
  /** No limit if omitted. */
  maxRowsPerSecond?: number | undefined;
  /** The pace of other processes of the same run. */
  sharedPace?: SharedPace | undefined;
}

/**
 * Scores with the reports in a folder, in threads. If the first batch is small, it is scored in this thread, because most
 * files are small, and so are the following ones until the threads are ready. A thread takes about 30 MB of memory and a
 * copy of the model.
 */
export class LocalScorer implements Scorer {
  readonly name = 'local';
  /** A call is a batch. */
  readonly statistics: CallStatistics = {
    calls: 0,
    inFlight: 0,
    retries: new Map(),
    latency: createHistogram(),
  };
  readonly #home: string;
  readonly #pace: RowPace;
  readonly #threads: ScoringThreads;
  readonly #models = new Map<string, StoredModel>();
  /** The models of `batchPersona`. */
  readonly #loaded = new Map<string, Promise<Model>>();

  private constructor(home: string, threads: ScoringThreads, pace: RowPace) {
    this.#home = home;
    this.#threads = threads;
    this.#pace = pace;
  }

  /**
   * Opens the reports; close it after use.
   *
   * @throws RowcastError `unreadable_home`
   */
  static async open({
    home = '.rowcast',
    threads = availableParallelism(),
    maxRowsPerSecond,
    sharedPace,
  }: LocalScorerOptions = {}): Promise<LocalScorer> {
    await checkReadable(home);
    return new LocalScorer(home, new ScoringThreads(threads), new RowPace(maxRowsPerSecond, sharedPace));
  }

  /** A scorer for one of several runs, with statistics of its own: they share threads and pace. Only this one is closed. */
  forRun(): LocalScorer {
    return new LocalScorer(this.#home, this.#threads, this.#pace);
  }

  /**
   * The probabilities of personas, in their order: those that `POST /user/batch-persona` of `rowcast serve` returns. The
   * model stays in memory until `close`.
   *
   * @param report id of the report
   * @param personas values by column: text, numbers, booleans, or null if missing. Columns that the report does not know
   *   are ignored; a persona with none that it knows gets the error `unknown_columns`
   * @throws RowcastError `no_such_report`, `damaged_report`
   */
  async batchPersona(report: string, personas: readonly Features[]): Promise<Prediction[]> {
    const loaded = this.#loaded.get(report) ?? hintAtUrl(loadReportModel(this.#home, report));
    this.#loaded.set(report, loaded);
    try {
      return await predictPersonas(await loaded, personas);
    } catch (error) {
      this.#loaded.delete(report);
      throw error;
    }
  }

  /** @throws RowcastError `no_such_report`, `damaged_report` */
  async describe(id: string): Promise<LocalReport['report']> {
    const { report, model } = await hintAtUrl(readLocalReport(this.#home, id));
    this.#models.set(id, model);
    return report;
  }

  learnedColumns(id: string): StoredModel['columns'] | undefined {
    return this.#models.get(id)?.columns;
  }

  /** @throws TypeError unless the report was described, and the classes are known */
  open(input: ScorerInput): BatchScorer {
    const model = this.#models.get(input.report);
    if (model === undefined) throw new TypeError('open: the report was not described');
    return new LocalBatches({
      input,
      model,
      pace: this.#pace,
      threads: this.#threads,
      statistics: this.statistics,
    });
  }

  /** Ends the threads, and frees the models. */
  async close(): Promise<void> {
    for (const loaded of this.#loaded.values()) loaded.then(({ engine }) => engine.unload()).catch(() => {}); // reported
    this.#loaded.clear();
    await this.#threads.end();
  }
}

interface LocalBatchesOptions {
  input: ScorerInput;
  model: StoredModel;
  threads: ScoringThreads;
  pace: RowPace;
  statistics: CallStatistics;
}

class LocalBatches extends LocalBatchScorer {
  readonly concurrency: number;
  readonly sharesMemory: boolean;
  readonly #options: LocalBatchesOptions;
  /** Its number in the threads. */
  readonly #number: number;
  readonly #data: Omit<InputData, 'layout'>;
  #shared: SharedModel | undefined;
  readonly #outputs = new OutputBuffers();
  /** Bytes that may be appended to a row. */
  readonly #maxAppended: Pick<Appended, 'maxBytes'>;
  /** What scores batches in this thread. */
  #own: Promise<RecordScorer> | undefined;

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
    return allocatedFor(maxMergedBytes(part, this.#maxAppended));
  }

  maxBatchBytes(): number {
    return Math.min(this.#options.input.batchBytes, BATCH_BYTES);
  }

  async attempt({ batch }: AttemptRequest, signal: AbortSignal): Promise<Attempt> {
    const { pace, statistics } = this.#options;
    const unwanted = this.unwanted(signal);
    await pace.next(countRows(batch), unwanted);
    unwanted.throwIfAborted();
    const begun = performance.now();
    statistics.inFlight++;
    try {
      const scored = await this.#score(batch);
      statistics.calls++;
      statistics.latency.record(Math.max(1, Math.round(performance.now() - begun)));
      return scored;
    } finally {
      statistics.inFlight--;
    }
  }

  async #score(batch: Batch): Promise<Scored> {
    const { input, threads } = this.#options;
    const { data } = input.layout;
    const into = this.#outputs.take(maxMergedBytes(batch, this.#maxAppended), batch.end.offset);
    if (data !== undefined && (this.#own !== undefined || this.#isLarge(batch))) {
      threads.startIfBusy();
      const thread = threads.idlest(this.#own === undefined);
      if (thread !== undefined) {
        // While the thread starts.
        this.#shared ??= sharedModel(this.#options.model);
        const opened = { input: { layout: data, ...this.#data }, shared: this.#shared };
        return thread.score(this.#number, opened, { batch, into });
      }
    }
    this.#own ??= this.#openHere();
    return (await this.#own).score(batch, into);
  }

  /** Whether a batch is so large that more are likely to follow. */
  #isLarge({ bytes, ends }: Batch): boolean {
    return bytes.length > this.maxBatchBytes() / 2 || ends.length === this.batchRows;
  }

  async #openHere(): Promise<RecordScorer> {
    const { input, model } = this.#options;
    const { columns, classes } = model;
    const { layout } = input;
    const engine = await engineOf(model);
    const memory = BatchMemory.create();
    return new RecordScorer({ ...this.#data, layout, columns, classes, engine, memory });
  }

  written(offset: number): void {
    this.#outputs.release(offset);
  }

  override close(): void {
    super.close();
    this.#options.threads.closeInput(this.#number);
    this.#own?.then(scorer => scorer.close()).catch(() => {}); // a batch has reported it
  }
}
