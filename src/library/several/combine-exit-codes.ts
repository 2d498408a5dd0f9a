import { exitCodes, RowcastError } from '../../base/errors.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
import type { FailureKind } from '../../scoring/failures/failure-rule.ts';

/** What is reported first if several of them apply. */
const BY_IMPORTANCE = [exitCodes.unbalanced, exitCodes.bug, exitCodes.stopped, exitCodes.temporary];

/**
 * The exit code of several runs: the most important one.
 *
 * @param finished the code if none of them failed
 */
export const combineExitCodes = (codes: readonly number[], finished: number): number =>
  BY_IMPORTANCE.find(code => codes.includes(code)) ?? finished;

/** A file that cannot be scored does not refuse the whole command: others may be finished. */
export const codeOfFile = (code: number): number => (code === exitCodes.refused ? exitCodes.stopped : code);

/** What became of several runs. */
export function totalStatus(statuses: readonly Summary['status'][]): 'finished' | 'skipped' | 'stopped' {
  if (statuses.every(status => status === 'skipped')) return 'skipped';
  return statuses.every(status => status === 'finished' || status === 'skipped') ? 'finished' : 'stopped';
}

const OF_SERVICE: readonly FailureKind[] = ['unavailable', 'busy', 'server_error', 'fatal'];
const OF_ALL: readonly string[] = [
  'too_many_rejects',
  'disk_full',
  'no_key',
  'no_such_report',
  'damaged_report',
];

/** Whether all other files would fail in the same way, perhaps each after a long wait. */
export function concernsAll(error: unknown): boolean {
  if (error instanceof CallError) return OF_SERVICE.includes(error.kind);
  return error instanceof RowcastError && OF_ALL.includes(error.code);
}
