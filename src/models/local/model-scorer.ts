import { availableParallelism } from 'node:os';
import { type CallStatistics, newCallStatistics } from '../../base/contract/call-statistics.ts';
import type { Features, Prediction } from '../../base/contract/schemas.ts';
import type { SharedPace } from '../../base/contract/shared-pace.ts';
import { RowcastError } from '../../base/errors.ts';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { withOrders } from '../../scoring/feature-columns.ts';
import {
  type BatchScorer,
  LOCAL,
  type OpenScorer,
  type ScorerInput,
  type SharedScorer,
} from '../../scoring/scorer.ts';
import type { StoredModel } from '../model/compiled-model.ts';
import type { Model } from '../model/model-file.ts';
import { type LocalReport, loadReportModel, readLocalReport } from '../store/report-model.ts';
import { checkReadable } from '../store/report-version.ts';
import { LocalBatches } from './local-batches.ts';
import { predictPersonas } from './predict-personas.ts';
import { RowPace } from './row-pace.ts';
import { ScoringThreads } from './threads/scoring-threads.ts';

export interface ModelScorerOptions {
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
 * Scores with the reports in a folder, in threads, each of which takes about 30 MB of memory and a copy of the model.
 */
export class ModelScorer implements SharedScorer {
  readonly name = LOCAL;
  /** A call is a batch. */
  readonly statistics: CallStatistics = newCallStatistics();
  readonly #home: string;
  readonly #pace: RowPace;
  readonly #threads: ScoringThreads;
  readonly #reports = new Map<string, LocalReport>();
  /** The report that was described for several runs. */
  #given: LocalReport | undefined;
  readonly #memories: BatchMemory[];
  /** The models of `batchPersona`. */
  readonly #loaded = new Map<string, Promise<Model>>();

  private constructor(home: string, threads: ScoringThreads, pace: RowPace, memories: BatchMemory[] = []) {
    this.#home = home;
    this.#memories = memories;
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
  }: ModelScorerOptions = {}): Promise<ModelScorer> {
    await checkReadable(home);
    return new ModelScorer(home, new ScoringThreads(threads), new RowPace(maxRowsPerSecond, sharedPace));
  }

  /**
   * A scorer for one of several runs, with statistics of its own: they share threads, pace and memory. Only this one is
   * closed.
   *
   * @param described see `SharedScorer`
   */
  forRun(described?: string): OpenScorer {
    const scorer = new ModelScorer(this.#home, this.#threads, this.#pace, this.#memories);
    if (described !== undefined) scorer.#given = this.#reports.get(described);
    return { scorer, close: async () => {} };
  }

  /**
   * The probabilities of personas, in their order: those that `POST /user/batch-persona` of `rowcast serve` returns.
   * The model stays in memory until `close`.
   *
   * @param report id of the report
   * @param personas values by column: text, numbers, booleans, or null if missing. Columns that the report does not
   *   know are ignored; a persona with none that it knows gets the error `unknown_columns`
   * @throws RowcastError `no_such_report`, `damaged_report`
   */
  async batchPersona(report: string, personas: readonly Features[]): Promise<Prediction[]> {
    const loaded = this.#loaded.get(report) ?? suggestOtherService(loadReportModel(this.#home, report));
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
    const known = this.#given?.report.id === id ? this.#given : undefined;
    const read = known ?? (await suggestOtherService(readLocalReport(this.#home, id)));
    this.#reports.set(id, read);
    return read.report;
  }

  learnedColumns(id: string): StoredModel['columns'] | undefined {
    return this.#reports.get(id)?.model.columns;
  }

  /** @throws TypeError unless the report was described, and the classes are known */
  open(input: ScorerInput): BatchScorer {
    const model = this.#reports.get(input.report)?.model;
    if (model === undefined) throw new TypeError('open: the report was not described');
    return new LocalBatches({
      input,
      model: { ...model, columns: withOrders(model.columns, input.features) },
      pace: this.#pace,
      threads: this.#threads,
      statistics: this.statistics,
      memories: this.#memories,
    });
  }

  /** Ends the threads, and frees the models. */
  async close(): Promise<void> {
    for (const loaded of this.#loaded.values()) loaded.then(({ engine }) => engine.unload()).catch(() => {}); // reported
    this.#loaded.clear();
    await this.#threads.end();
  }
}

/** Adds to the error about an unknown report that another service may have it: only local reports were looked for. */
export async function suggestOtherService<T>(found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof RowcastError && error.code === 'no_such_report')
      error.hint = `Use --url for the reports of another service. ${error.hint}`;
    throw error;
  }
}
