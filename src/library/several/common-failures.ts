import { RowcastError } from '../../base/errors.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
import type { FailureKind } from '../../scoring/failures/failure-rule.ts';

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
