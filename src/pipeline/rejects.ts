import { positionOf } from '../csv/batch.ts';
import type { Dialect } from '../csv/dialect.ts';
import { RecordKind } from '../csv/scan.ts';
import { RowcastError } from '../errors.ts';
import type { Answered } from './in-flight.ts';

/** A row that could not be scored. */
export interface Reject {
  /** Data row, 1-based; the header and blank lines are not counted. */
  row: number;
  /** Line of the input at which the record begins, 1-based. */
  line: number;
  code: string;
  reason: string;
}

/** The rows of a batch that could not be scored, in input order: malformed, or with an error of their own. */
export function rejectsOf({ encoded, answer }: Answered, dialect: Dialect): Reject[] {
  const { batch, faults } = encoded;
  if (faults.size === 0 && answer.errors.size === 0) return [];
  const rejects: Reject[] = [];
  let persona = 0;
  for (const [index, kind] of batch.kinds.entries()) {
    if (kind === RecordKind.blank) continue;
    const fault = faults.get(index);
    const error = fault === undefined ? answer.errors.get(persona++) : undefined;
    if (fault === undefined && error === undefined) continue;
    const { row, line } = positionOf(batch, index, dialect);
    if (fault !== undefined) rejects.push({ row, line, ...fault });
    else if (error !== undefined) rejects.push({ row, line, code: error.code, reason: error.message });
  }
  return rejects;
}

/** A row that cannot be scored stops the run. */
export function stopAtReject({ rejects: [reject] }: { rejects: readonly Reject[] }, file: string): void {
  if (reject === undefined) return;
  const { code, reason, line, row } = reject;
  throw new RowcastError(code, reason, {
    consequence: 'stopped',
    place: { file, line, row },
    hint: 'Correct the row, or take it out of the input.',
  });
}
