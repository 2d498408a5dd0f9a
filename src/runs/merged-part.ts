import type { Position } from '../formats/csv/position.ts';
import type { Reject } from '../formats/csv/reject-records.ts';

/** A piece of the output, and what became of the rows that were read for it. */
export interface MergedPart {
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
