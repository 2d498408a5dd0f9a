import { type Batch, countRows } from '../csv/batch.ts';
import type { Position } from '../csv/position.ts';
import type { Reject } from './rejects.ts';

/** A piece of the output, and what became of the rows that were read for it. */
export interface Merged {
  /** Output; none where it waits for the header. */
  readonly bytes: Buffer;
  /** The records that were consumed, as they came; none with the header and what waited for it. */
  readonly input: Buffer;
  /** Where the record after them begins. */
  readonly end: Position;
  readonly endsBatch: boolean;
  /** Whether a gzip member ends with these bytes. */
  readonly endsMember: boolean;
  /** Whether a run may resume after these bytes: they are whole records, and the header is out. */
  readonly isCommitPoint: boolean;
  readonly scored: number;
  readonly blank: number;
  readonly rejects: readonly Reject[];
}

const EMPTY = Buffer.alloc(0);
/** A piece that holds nothing, and cannot be resumed after. */
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

/** What became of the records `[from, to)` of a batch. */
export function countsOf(
  batch: Batch,
  from: number,
  to: number,
  rejects: readonly Reject[],
): Pick<Merged, 'scored' | 'blank' | 'rejects'> {
  const rows = countRows(batch, from, to);
  return { scored: rows - rejects.length, blank: to - from - rows, rejects };
}
