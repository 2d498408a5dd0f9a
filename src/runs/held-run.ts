import { unlessStopped } from '../base/interrupted.ts';
import { Releases } from './paths/lock-paths.ts';
import { failureOf, type RunControl } from './run-control.ts';
import type { RunRecord } from './run-record.ts';

/** What a run holds until it ends: its locks, what is open, and its observers. */
export class HeldRun {
  readonly #record: RunRecord;
  readonly #control: RunControl;
  readonly #locked = new Releases();
  /** What is closed before the observers are told how the run has ended. */
  readonly #open = new Releases();

  constructor(record: RunRecord, control: RunControl) {
    this.#record = record;
    this.#control = control;
    this.#locked.add(() => record.close());
    control.atExit((error, exitCode) => record.endNow(error, exitCode));
  }

  /** Holds files that are being locked. @throws what `locking` throws; Interrupted */
  async lock<F extends { release(): Promise<void> }>(locking: Promise<F>): Promise<F> {
    const files = await unlessStopped(locking, this.#control.signal, late => void late.release());
    this.#locked.add(() => files.release());
    return files;
  }

  /** @param close what was opened */
  open(close: () => Promise<void>): void {
    this.#open.add(close);
  }

  /** Closes what was opened, in reverse order. */
  close(): Promise<void> {
    return this.#open.release();
  }

  /** The run has failed: closes what is open, and tells the observers. @returns the error to throw */
  async failed(thrown: unknown): Promise<unknown> {
    await this.close().catch(() => {}); // the first error is reported
    const error = failureOf(thrown);
    await this.#record.fail(error);
    await this.#locked.release().catch(() => {});
    return error;
  }

  /** Releases everything, whatever has happened. */
  async release(): Promise<void> {
    this.#control.atExit(undefined);
    await this.close();
    await this.#locked.release();
  }
}
