import { unlessStopped } from '../base/interrupted.ts';
import { Releases } from './paths/lock-paths.ts';
import { failureOf, type RunControl } from './run-control.ts';
import type { RunTracker } from './run-tracker.ts';

export type HeldRun = ReturnType<typeof holdRun>;

/** What a run holds until it ends: its locks, what is open, and its observers. */
export function holdRun(tracker: RunTracker, control: RunControl) {
  const locked = new Releases();
  /** What is closed before the observers are told how the run has ended. */
  const opened = new Releases();
  locked.add(() => tracker.close());
  control.atExit((error, exitCode) => tracker.endNow(error, exitCode));
  return {
    /** Holds files that are being locked. @throws what `locking` throws; Interrupted */
    async lock<F extends { release(): Promise<void> }>(locking: Promise<F>): Promise<F> {
      const files = await unlessStopped(locking, control.signal, late => void late.release());
      locked.add(() => files.release());
      return files;
    },

    /** @param close what was opened */
    open: (close: () => Promise<void>) => opened.add(close),

    /** Closes what was opened, in reverse order. */
    close: () => opened.release(),

    /** The run has failed: closes what is open, and tells the observers. @returns the error to throw */
    async failed(thrown: unknown): Promise<unknown> {
      await opened.release().catch(() => {}); // the first error is reported
      const error = failureOf(thrown);
      await tracker.fail(error);
      await locked.release().catch(() => {});
      return error;
    },

    /** Releases everything, whatever has happened. */
    async release(): Promise<void> {
      control.atExit(undefined);
      await opened.release();
      await locked.release();
    },
  };
}
