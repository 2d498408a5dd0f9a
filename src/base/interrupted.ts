import { setMaxListeners } from 'node:events';

/** Thrown when a run was stopped by its signal; the cause is the signal's reason. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';

  constructor(stop: AbortSignal | undefined) {
    super('the run was stopped by a signal', { cause: stop?.reason });
  }
}

/** The reader of a pipe has closed it, as `head` does. Not a failure. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/** Calls a function when a signal is aborted, or at once if it was. @returns a function that calls it off */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal?.aborted) act();
  else signal?.addEventListener('abort', act);
  return () => signal?.removeEventListener('abort', act);
}

/**
 * The value of a promise, unless the signal is aborted first.
 *
 * @param drop releases a value that comes after that
 * @throws Interrupted
 */
export async function unlessStopped<T>(
  promise: Promise<T>,
  stop: AbortSignal | undefined,
  drop?: (late: T) => void,
): Promise<T> {
  let callOff = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    callOff = onAbort(stop, () => reject(new Interrupted(stop)));
  });
  try {
    return await Promise.race([promise, stopped]);
  } catch (error) {
    if (error instanceof Interrupted && drop !== undefined) promise.then(drop).catch(() => {}); // it is over
    throw error;
  } finally {
    callOff();
  }
}

/**
 * A signal that is aborted after a time in milliseconds, or with another one. It holds its timer until its end: the one
 * of `AbortSignal.timeout` behind `AbortSignal.any` may be forgotten by Node 20.
 */
export function timeLimit(ms: number, other: AbortSignal): { over: AbortSignal; end(): void } {
  const limit = new AbortController();
  const abort = (): void => limit.abort(other.aborted ? other.reason : new Error('no response in time'));
  const timer = setTimeout(abort, ms);
  const callOff = onAbort(other, abort);
  return {
    over: limit.signal,
    end() {
      clearTimeout(timer);
      callOff();
    },
  };
}

/** How long in-flight requests may take to finish when a run is stopped. */
const DRAIN_MS = 10_000;

export interface Stopping {
  /** Aborted when no further batch is to be read. */
  reading: AbortSignal;
  /** Aborted when in-flight requests are to be cancelled. */
  calling: AbortSignal;
  /** The error of a run that was stopped. */
  interrupted(): Interrupted;
  /** Cleans up when the run is over. */
  end(): void;
}

/**
 * Stops a run in two steps: first no further batch is read; after a timeout or a failure, in-flight requests are
 * cancelled.
 *
 * @param onStop called to end a pending read
 * @param cancel aborted when there is nothing to wait for
 */
export function stopping(stop: AbortSignal | undefined, onStop: () => void, cancel?: AbortSignal): Stopping {
  const reading = new AbortController();
  const calling = new AbortController();
  // Every in-flight request adds a listener, so Node's leak warning on stderr would be wrong.
  setMaxListeners(0, calling.signal);
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    reading.abort();
    onStop();
    timer = setTimeout(() => calling.abort(), DRAIN_MS);
  };
  const callOffs = [onAbort(stop, begin), onAbort(cancel, () => calling.abort())];
  return {
    reading: reading.signal,
    calling: calling.signal,
    interrupted: () => new Interrupted(stop),
    end() {
      for (const callOff of callOffs) callOff();
      clearTimeout(timer);
      calling.abort();
    },
  };
}
