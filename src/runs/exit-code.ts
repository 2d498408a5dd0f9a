import { constants } from 'node:os';
import { exitCodes, RowcastError } from '../base/errors.ts';
import { ClosedPipe, Interrupted } from '../base/interrupted.ts';
import { exceeds } from '../base/options/values/reject-limit.ts';
import type { RunValues } from '../base/options/values/run-values.ts';
import { sanitizeLines } from '../base/sanitize.ts';
import type { RowCounts } from '../scoring/row-counts.ts';
import type { RunError } from './summary/summary.ts';

/** Exit codes other than those of errors, which have their own. */
export const ExitCode = {
  done: 0,
  someRejected: 1,
  stopped: exitCodes.stopped,
  running: exitCodes.temporary,
} as const satisfies Record<string, number>;

/** The exit code for an error. An error that no one foresaw is a bug. */
export function exitCodeOf(error: unknown): number {
  // The reader of the pipe has read enough, as with `| head`.
  if (error instanceof ClosedPipe) return ExitCode.done;
  if (error instanceof Interrupted) return interruptedCode(error.cause);
  return error instanceof RowcastError ? error.exitCode : exitCodes.bug;
}

/**
 * 128 plus the number of the signal, as shells report a process that a signal killed. A program may stop a run for
 * another reason: it resumes later.
 */
function interruptedCode(reason: unknown): number {
  const signals: Readonly<Record<string, number>> = constants.signals;
  const number = typeof reason === 'string' ? signals[reason] : undefined;
  return number === undefined ? exitCodes.temporary : 128 + number;
}

/** The exit code of a run that has finished. */
export function exitCodeOfRows(
  { rejectsOk }: Pick<RunValues, 'rejectsOk'>,
  rowCounts: Pick<RowCounts, 'read' | 'rejected' | 'rejectedLines'>,
): number {
  const isFine = rowCounts.rejected === 0 || (rejectsOk !== undefined && !exceeds(rejectsOk, rowCounts));
  return isFine ? ExitCode.done : ExitCode.someRejected;
}

/** The error as a member of the summary. */
export function runErrorOf(error: unknown): RunError | null {
  if (error instanceof ClosedPipe) return null;
  if (error instanceof RowcastError) {
    const { code, message, hint = null, retryable, location } = error;
    const { file = null, line = null, row = null } = location;
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
