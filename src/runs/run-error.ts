import { RowcastError } from '../base/errors.ts';
import { Interrupted } from '../base/interrupted.ts';
import { sanitizeLines } from '../base/sanitize.ts';
import { ClosedPipe } from '../storage/target.ts';
import type { RunError } from './summary/summary.ts';

/** The error as a member of the summary. */
export function runErrorOf(error: unknown): RunError | null {
  if (error instanceof ClosedPipe) return null;
  if (error instanceof RowcastError) {
    const { code, message, hint = null, retryable, location: place } = error;
    const { file = null, line = null, row = null } = place;
    return { code, message: sanitizeLines(message), hint, retryable, file, line, row };
  }
  const [code, message] =
    error instanceof Interrupted
      ? ['interrupted', `stopped by ${error.cause}`]
      : ['unexpected', sanitizeLines(error instanceof Error ? error.message : String(error))];
  // An interrupted run is resumed by the same command.
  const retryable = code === 'interrupted';
  return { code, message, hint: null, retryable, file: null, line: null, row: null };
}
