import type { Logger } from 'pino';
import type { Statistics } from '../api/client.ts';
import { RowcastError } from '../errors.ts';
import type { Target } from '../io/target.ts';
import { type Accounts, newAccounts } from '../pipeline/accounts.ts';
import { type Checksums, type Ending, type Summary, summaryOf } from '../pipeline/summary.ts';
import { exitCodeOf, runErrorOf } from './exit.ts';
import { writeWhole } from './print.ts';

/** Where a run's summary goes. */
export interface SummaryFile {
  target: Target;
  /** As it was given, for messages. */
  name: string;
}

/** What is known of a run: filled in as it goes, and written to the file of `--summary`, if there is one. */
export class RunRecord {
  service: string | null = null;
  statistics: Statistics | undefined;
  accounts: Accounts = newAccounts();
  resumedFrom: number | undefined;
  checksums: Checksums | undefined;
  readonly #names: { input: string; output: string; report: string | null };
  readonly #file: SummaryFile | undefined;
  readonly #startedAt = new Date();
  readonly #begun = performance.now();

  constructor(
    names: { input: string; output: string; report: string | null },
    file: SummaryFile | undefined,
  ) {
    this.#names = names;
    this.#file = file;
  }

  /** Says that the run is under way; a pipe or a device gets only the summary at the end. */
  async begin(): Promise<void> {
    if (this.#file?.target.kind === 'file') await this.#write(this.summary(undefined), AbortSignal.abort());
  }

  /**
   * Says how the run ended.
   *
   * @param stop aborted when nobody waits for the reader of a FIFO any more
   */
  async end(status: 'finished' | 'skipped', exitCode: number, stop: AbortSignal): Promise<Summary> {
    const summary = this.summary({ status, exitCode, error: null, finishedAt: new Date() });
    await this.#write(summary, stop).catch(error => {
      throw error instanceof RowcastError ? error.duringRun() : error;
    });
    return summary;
  }

  /** Says what ended the run early; where that cannot be written, a warning is logged. */
  async fail(error: unknown, log: Logger): Promise<void> {
    const isRefused = error instanceof RowcastError && error.consequence === 'refused';
    const ending: Ending = {
      status: isRefused ? 'refused' : 'stopped',
      exitCode: exitCodeOf(error),
      error: runErrorOf(error),
      finishedAt: new Date(),
    };
    await this.#write(this.summary(ending), AbortSignal.abort()).catch(cause => {
      log.warn(`the summary cannot be written: ${cause.message}`);
    });
  }

  summary(ending: Ending | undefined): Summary {
    const { service, statistics, accounts, resumedFrom, checksums } = this;
    const seconds = (performance.now() - this.#begun) / 1000;
    return summaryOf({
      ...this.#names,
      ...{ service, statistics, accounts, resumedFrom, checksums, seconds, ending },
      startedAt: this.#startedAt,
    });
  }

  async #write(summary: Summary, stop: AbortSignal): Promise<void> {
    if (this.#file === undefined) return;
    const { target, name } = this.#file;
    await writeWhole(target, name, `${JSON.stringify(summary, null, 2)}\n`, stop);
  }
}
