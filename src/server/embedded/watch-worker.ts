import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { RowcastError } from '../../errors.ts';

export interface WatchedThread {
  /** Aborts, with a RowcastError `service_died` as its reason, if the thread ends unexpectedly. */
  failure: AbortSignal;
  /** Settles when the thread has ended, for whatever reason. */
  exited: Promise<void>;
  /** Call this before the thread ends on purpose. */
  expectEnd(): void;
}

/** Watches the embedded service's thread, so that its unexpected end is noticed even while nothing waits for it. */
export function watchThread(worker: Worker): WatchedThread {
  const failure = new AbortController();
  let expected = false;
  // Every error is followed by an exit, but the first abort reason wins.
  worker.on('error', cause => failure.abort(died(cause)));
  const exited = once(worker, 'exit').then(
    ([code]) => {
      if (!expected) failure.abort(died(new Error(`it ended with code ${code}`)));
    },
    () => {}, // `once` rejects with the error that the listener above has already handled.
  );
  return {
    failure: failure.signal,
    exited,
    expectEnd: () => {
      expected = true;
    },
  };
}

function died(cause: unknown): RowcastError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RowcastError('service_died', `the embedded prediction service stopped unexpectedly: ${reason}`, {
    severity: 'stopped',
    cause,
  });
}
