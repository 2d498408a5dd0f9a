import { RowcastError } from '../errors.ts';
import type { RunError } from '../runs/summary.ts';
import { sanitizeLines } from '../sanitize.ts';
import { ClosedPipe } from '../storage/sink.ts';
import { Interrupted } from './stop.ts';

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
  // The same command resumes an interrupted run.
  const retryable = code === 'interrupted';
  return { code, message, hint: null, retryable, file: null, line: null, row: null };
}
