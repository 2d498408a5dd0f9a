import type { Reject } from '../formats/records/reject.ts';
import type { RunObserver, RunProgress, RunView } from '../runs/observer.ts';
import type { RunControl } from '../runs/run-control.ts';
import type { CallError } from '../scoring/failures/call-error.ts';
import { CallbackGuard } from './callback-guard.ts';

/** How far a run is. Counts are totals over all attempts of a resumed run; rate and time are of this one. */
export interface Progress {
  /** Rows that were read, scored and rejected so far. */
  rows: { read: number; scored: number; rejected: number };
  /** Part of the work that is done, from 0 to 1; null if it is not known, as for a stream without a `limit`. */
  fraction: number | null;
  rowsPerSecond: number;
  /** Seconds that are probably left; null if the fraction is not known. */
  etaSeconds: number | null;
  /** Bytes of the output so far. */
  bytesOut: number;
  /** Requests that wait for their answer, or batches of a local report. */
  inFlight: number;
  /** Requests that were retried. */
  retries: number;
}

/** A request that failed and will be made again. */
export interface Retry {
  error: CallError;
  /** Seconds until then. */
  wait: number;
}

/**
 * What a run tells a program while it is in progress. A callback that throws stops the run with `callback_failed`. One
 * that returns a promise is not waited for before the next call, but before the run finishes, and stops it by rejecting
 * too.
 */
export interface Callbacks {
  /** Called after each part of the output is written, some times per second. */
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Called for each row that cannot be scored; `record` holds its bytes. */
  onReject?: ((reject: Reject) => void) | undefined;
  /** Called before each wait for a retry. */
  onRetry?: ((retry: Retry) => void) | undefined;
}

/** Calls the callbacks of a program. What one throws, or rejects with, stops the run. */
export function callbacks(
  { onProgress, onReject, onRetry }: Callbacks,
  control: Pick<RunControl, 'fail' | 'signal'>,
): RunObserver {
  const guard = new CallbackGuard(error => control.fail(error));
  const report = onProgress && guard.guard('onProgress', onProgress);
  const retried = retryOf({ onRetry }, guard);
  let begun = 0;
  let run: RunView | undefined;
  return {
    ready(view) {
      begun = performance.now();
      run = view;
    },
    ...(report && {
      progress: now =>
        report(progressOf(now, (performance.now() - begun) / 1000, run?.statistics?.inFlight ?? 0)),
    }),
    ...(onReject && { rejected: guard.guard('onReject', onReject) }),
    ...(retried && { retried }),
    settled: () => guard.settled(control.signal),
  };
}

/** Calls the callback for retries, whose waits are in milliseconds. */
export function retryOf(
  { onRetry }: Pick<Callbacks, 'onRetry'>,
  guard: CallbackGuard,
): ((error: CallError, wait: number) => void) | undefined {
  const report = onRetry && guard.guard('onRetry', onRetry);
  return report && ((error, wait) => report({ error, wait: wait / 1000 }));
}

function progressOf(
  { rowCounts, fraction, before }: RunProgress,
  seconds: number,
  inFlight: number,
): Progress {
  const { read, scored, rejected, bytesOut, retries } = rowCounts;
  const done = fraction === undefined ? 0 : fraction - (before.fraction ?? 0);
  return {
    rows: { read, scored, rejected },
    fraction: fraction ?? null,
    rowsPerSecond: Math.round((read - before.read) / seconds),
    etaSeconds: fraction === undefined || done <= 0 ? null : Math.ceil((seconds * (1 - fraction)) / done),
    bytesOut,
    inFlight,
    retries: Object.values(retries).reduce((sum, count) => sum + count, 0),
  };
}
