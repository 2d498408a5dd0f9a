import { type Batch, countRows } from '../../formats/records/batch.ts';
import type { Reject } from '../../formats/records/reject.ts';
import type { MergedPart } from './merged-part.ts';

const EMPTY = Buffer.alloc(0);
/** An empty part, after which a run cannot resume. */
export const NOTHING = {
  bytes: EMPTY,
  input: EMPTY,
  endsBatch: false,
  endsMember: false,
  isCommitPoint: false,
  scored: 0,
  blank: 0,
  rejects: [],
} as const;

/** Row counts of the records `[from, to)` of a batch. */
export function countsOf(
  batch: Batch,
  from: number,
  to: number,
  rejects: readonly Reject[],
): Pick<MergedPart, 'scored' | 'blank' | 'rejects'> {
  const rows = countRows(batch, from, to);
  return { scored: rows - rejects.length, blank: to - from - rows, rejects };
}
