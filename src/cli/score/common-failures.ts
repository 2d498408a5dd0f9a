import { CallError } from '../../client/call-error.ts';
import type { FailureKind } from '../../client/failure-rule.ts';
import { RowcastError } from '../../errors.ts';

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
