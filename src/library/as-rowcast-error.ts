import { RowcastError } from '../base/errors.ts';
import { ClosedPipe, Interrupted } from '../base/interrupted.ts';
import { failureOf, RunControl } from '../runs/run-control.ts';

/**
 * The value of a promise.
 *
 * @throws RowcastError for whatever goes wrong
 */
export async function rejectsWithRowcastError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asRowcastError(error);
  }
}

/**
 * The value of a call that can be stopped.
 *
 * @param signal the one of the caller
 * @throws RowcastError `interrupted` if it was aborted; the cause is the signal's reason
 */
export function called<T>(
  signal: AbortSignal | undefined,
  work: (stop: RunControl) => Promise<T>,
): Promise<T> {
  return rejectsWithRowcastError(async () => {
    const stop = new RunControl(signal);
    try {
      return await work(stop);
    } catch (error) {
      throw failureOf(stop.signal.aborted ? new Interrupted(stop.signal) : error);
    } finally {
      stop.end();
    }
  });
}

/** Any error as one with a code. */
export function asRowcastError(error: unknown): RowcastError {
  if (error instanceof RowcastError) return error;
  if (error instanceof Interrupted)
    return new RowcastError('interrupted', 'stopped by its signal', {
      severity: 'temporary',
      cause: error.cause,
      hint: 'A run whose output is a file resumes with the same call.',
    });
  if (error instanceof ClosedPipe)
    return new RowcastError('unwritable_output', 'the reader of the output has closed it', {
      severity: 'stopped',
      cause: error,
    });
  const message = error instanceof Error ? error.message : String(error);
  return new RowcastError('unexpected', `unexpected error, please report it: ${message}`, {
    severity: 'bug',
    cause: error,
  });
}
