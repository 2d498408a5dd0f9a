import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { RowcastError } from '../../errors.ts';

export interface WatchedThread {
  /** Aborts when the thread ends unexpectedly, with a RowcastError `service_died` as its reason. */
  failure: AbortSignal;
  /** Settles when the thread has ended, however that was. */
  exited: Promise<void>;
  /** From here on the thread may end. */
  expectEnd(): void;
}

/** Watches the embedded service's thread, so that its death is told even while nobody waits for it. */
export function watchThread(worker: Worker): WatchedThread {
  const failure = new AbortController();
  let expected = false;
  // An exit follows every error, and the first reason of an abort stays.
  worker.on('error', cause => failure.abort(died(cause)));
  const exited = once(worker, 'exit').then(
    ([code]) => {
      if (!expected) failure.abort(died(new Error(`it ended with code ${code}`)));
    },
    () => {}, // `once` rejects with the error that the listener above has told.
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
  return new RowcastError('service_died', `the embedded prediction service died: ${reason}`, {
    consequence: 'stopped',
    cause,
  });
}
