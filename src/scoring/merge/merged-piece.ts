import type { PredictionType } from '../../base/contract/predictions.ts';
import { type Batch, countRows } from '../../formats/records/batch.ts';
import type { Position } from '../../formats/records/position.ts';
import type { Reject } from '../../formats/records/reject.ts';
import type { Tally } from '../counting/tally.ts';

/** A piece of the output, with counts of the rows that it was made from. */
export interface MergedPiece {
  /** Output bytes; empty while the rows wait for the header. */
  readonly bytes: Buffer;
  /** The input records that were consumed, unchanged; empty for the header and the rows that waited for it. */
  readonly input: Buffer;
  /** Start of the record after them. */
  readonly end: Position;
  readonly endsBatch: boolean;
  /** Whether a gzip member or zstd frame ends with these bytes. */
  readonly endsMember: boolean;
  /** Whether a run may resume after these bytes: they are whole records, and the header was written. */
  readonly isCommitPoint: boolean;
  /** What the header's columns stand for, once known. */
  readonly predictionType: PredictionType | undefined;
  readonly scored: number;
  /** Those of the scored rows whose predictions were copied. */
  readonly reused?: number;
  /** Those that have the prediction of an equal row. */
  readonly equal?: number;
  readonly blank: number;
  readonly rejects: readonly Reject[];
  /** What was counted in these rows, if anything is. */
  readonly tally?: Tally | undefined;
}

const EMPTY = Buffer.alloc(0);
/** An empty piece, after which a run cannot resume. */
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
): Pick<MergedPiece, 'scored' | 'blank' | 'rejects'> {
  const rows = countRows(batch, from, to);
  return { scored: rows - rejects.length, blank: to - from - rows, rejects };
}
