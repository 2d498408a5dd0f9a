import type { Features, LooseReport, Prediction } from '../../base/contract/schemas.ts';
import { rateOptions, threadOptions } from '../../base/options/pace.ts';
import { ModelScorer } from '../../models/local/model-scorer.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { rejectsWithRowcastError } from '../as-rowcast-error.ts';
import { checkObject, readGiven } from '../options/given-values.ts';
import type { BatchOutcome, PersonaBatch, ProgramScorer } from '../scorer.ts';

/** Options of `LocalScorer.open`. */
export interface LocalScorerOptions {
  /** The folder of the local reports; `.rowcast` by default. */
  home?: string | undefined;
  /** Threads for scoring files; the number of cores by default. */
  threads?: number | undefined;
  /** Rows per second of all runs that use it; no limit by default. */
  maxRowsPerSecond?: number | undefined;
}

/** What the runs of a scorer use. */
export let modelScorerOf: (scorer: LocalScorer) => ModelScorer;

/**
 * Predicts with the reports of this machine, without a server. Several runs, one after the other or at once, share its
 * threads and the models that it has loaded. Close it after use, or the threads keep the process alive.
 */
export class LocalScorer implements ProgramScorer {
  readonly name = LOCAL;
  readonly #scorer: ModelScorer;

  private constructor(scorer: ModelScorer) {
    this.#scorer = scorer;
  }

  /**
   * Opens the reports of a folder.
   *
   * @throws RowcastError `unreadable_home`, `bad_option`
   */
  static open(options: LocalScorerOptions = {}): Promise<LocalScorer> {
    return rejectsWithRowcastError(async () => {
      checkObject('LocalScorer.open', options, 'home and threads');
      const table = { ...threadOptions, 'max-rows-per-second': rateOptions['max-rows-per-second'] };
      const values = readGiven(table, options, ['home']);
      const { home = '.rowcast' } = options;
      return new LocalScorer(await ModelScorer.open({ home, ...values }));
    });
  }

  /**
   * What a report says: its classes, columns and quality.
   *
   * @throws RowcastError `no_such_report`, `damaged_report`
   */
  report(id: string): Promise<LooseReport> {
    return rejectsWithRowcastError(() => this.#scorer.describe(id));
  }

  /**
   * The probabilities of personas, in their order: those that `POST /user/batch-persona` of `rowcast serve` returns.
   *
   * @param report report id
   * @param personas values by column: text, numbers, booleans, or null if missing. Columns that the report does not
   *   know are ignored; a persona with none that it knows gets the error `unknown_columns`
   * @returns for each persona, probabilities from 0 to 1 by class, or an error
   * @throws RowcastError `no_such_report`, `damaged_report`
   */
  batchPersona(report: string, personas: readonly Features[]): Promise<Prediction[]> {
    return rejectsWithRowcastError(() => this.#scorer.batchPersona(report, personas));
  }

  /** Scores a batch of personas; `score` does not use it, because it reads rows without making objects of them. */
  score({ report, personas }: PersonaBatch): Promise<BatchOutcome> {
    return this.batchPersona(report, personas);
  }

  /** Ends the threads, and frees the models. */
  close(): Promise<void> {
    return this.#scorer.close();
  }

  static {
    modelScorerOf = scorer => scorer.#scorer;
  }
}
