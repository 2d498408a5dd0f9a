import { RowcastError } from '../errors.ts';
import { Interrupted } from '../scoring/stop.ts';
import { ClosedPipe } from '../storage/sink.ts';

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
 * The same for a call that a signal aborts.
 *
 * @throws RowcastError `interrupted` if it did; the cause is the signal's reason
 */
export function called<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  return rejectsWithRowcastError(async () => {
    try {
      return await work();
    } catch (error) {
      throw signal?.aborted ? new Interrupted(signal) : error;
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
