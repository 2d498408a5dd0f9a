import type { Layout } from '../../formats/format.ts';
import { type Batch, RecordKind, startOf } from '../../formats/records/batch.ts';
import type { Position } from '../../formats/records/position.ts';
import { groupOf, type RowGroups } from '../../formats/records/row-groups.ts';

/**
 * A member of a compressed file, or frame of zstd, ends with the first record that reaches this many bytes of input, or
 * of appended fields.
 */
export const MEMBER_INPUT_BYTES = 1 << 20;

/**
 * Decides which records share a member of a compressed file: those that start in the same MiB of the input and the same
 * group of rows. This depends only on the input and the classes, so a resumed run writes the same members whatever the
 * batches and responses are, and a member never ends inside a record.
 */
export class Members {
  readonly #rows: number;
  readonly #groups: RowGroups | undefined;
  readonly #wholeBatches: boolean;

  /**
   * @param maxAppendedBytes maximum bytes appended to a row; limits the size of a member if there are many classes
   * @param wholeBatches whether a member ends with a batch, because a run resumes only there; batches must then depend
   *   only on the input, too
   * @param groups of rows that the output has; they are its members then
   */
  constructor(maxAppendedBytes: number, wholeBatches = false, groups?: RowGroups) {
    this.#rows = Math.max(1, Math.floor(MEMBER_INPUT_BYTES / maxAppendedBytes));
    this.#groups = groups;
    this.#wholeBatches = wholeBatches && groups === undefined;
  }

  /** Whether records that start at these positions share a member. */
  isSame(a: Pick<Position, 'offset' | 'row'>, b: Pick<Position, 'offset' | 'row'>): boolean {
    return this.#block(a.offset) === this.#block(b.offset) && this.#group(a.row) === this.#group(b.row);
  }

  /**
   * Splits a batch into the pieces to write. Each piece but the last ends a member, or precedes a record that may be
   * truncated.
   */
  *piecesOf(batch: Batch, layout: Pick<Layout, 'countLines'>): Generator<Piece> {
    const count = batch.ends.length;
    let { start } = batch;
    for (let from = 0; from < count; ) {
      const to = this.#isWhole(batch, start) ? count : this.#endOfMember(batch, from, start);
      const end = to === count ? batch.end : positionAfter(batch, { from, to, start }, layout);
      const endsMember = !this.isSame(start, end);
      const isTruncated = to === count && batch.mayBeTruncated;
      if (isTruncated && to - from > 1 && !this.#wholeBatches) {
        const before = positionAfter(batch, { from, to: to - 1, start }, layout);
        yield { from, to: to - 1, end: before, endsMember: !this.isSame(start, before), isCommitPoint: true };
        start = before;
        from = to - 1;
      } else {
        yield { from, to, end, endsMember, isCommitPoint: !isTruncated };
        start = end;
        from = to;
      }
    }
  }

  #isWhole({ end }: Batch, start: Position): boolean {
    return this.#wholeBatches || this.isSame(start, end);
  }

  /** Index of the first record after `from` that starts in another member than the record at `start`. */
  #endOfMember(batch: Batch, from: number, start: Position): number {
    const { ends, kinds } = batch;
    const endOffset = this.#endOfBlock(start.offset) - batch.start.offset;
    const endRow = this.#endOfGroup(start.row) + 1;
    let { row } = start;
    for (let index = from; index < ends.length; index++) {
      if (kinds[index] !== RecordKind.blank) row++;
      if (row >= endRow || (ends[index] ?? 0) >= endOffset) return index + 1;
    }
    return ends.length;
  }

  #block(offset: number): number {
    return this.#groups === undefined ? Math.floor(offset / MEMBER_INPUT_BYTES) : 0;
  }

  #endOfBlock(offset: number): number {
    return this.#groups === undefined
      ? (this.#block(offset) + 1) * MEMBER_INPUT_BYTES
      : Number.POSITIVE_INFINITY;
  }

  #group(row: number): number {
    return groupOf(this.#groups ?? { rows: this.#rows }, row).group;
  }

  #endOfGroup(row: number): number {
    return groupOf(this.#groups ?? { rows: this.#rows }, row).end;
  }
}

/** Consecutive records of a batch whose output is written in one piece. */
export interface Piece {
  /** Index of the first record, and of the one after the last. */
  from: number;
  to: number;
  /** Start of the record after them in the input. */
  end: Position;
  endsMember: boolean;
  /** Whether a run may resume after them: not after a record that may be truncated. */
  isCommitPoint: boolean;
}

function positionAfter(
  batch: Batch,
  { from, to, start }: { from: number; to: number; start: Position },
  layout: Pick<Layout, 'countLines'>,
): Position {
  const [begin, end] = [startOf(batch, from), startOf(batch, to)];
  let { row } = start;
  for (let index = from; index < to; index++) if (batch.kinds[index] !== RecordKind.blank) row++;
  return {
    offset: batch.start.offset + end,
    row,
    line: start.line + layout.countLines(batch.bytes, begin, end),
  };
}
