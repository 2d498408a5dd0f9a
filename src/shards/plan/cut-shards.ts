import type { InputSection, Layout } from '../../formats/format.ts';
import { type Batch, startOf } from '../../formats/records/batch.ts';
import type { ByteSource } from '../../formats/records/byte-source.ts';
import { INPUT_START, type Position } from '../../formats/records/position.ts';
import { readBatches } from '../../formats/records/read-batches.ts';
import { MEMBER_INPUT_BYTES } from '../../scoring/merge/members.ts';

/** The codec of an input that is divided at its groups of rows. */
export const PARQUET = 'parquet';

/**
 * Finds where shards of whole sections begin: a shard ends with the section that reaches a multiple of `shardBytes`.
 * Nothing is read.
 *
 * @param sections of an input, and its end
 * @param options `shardBytes` is in bytes of the file; `limit` is the number of the last row to score, if not all are
 * @returns where each shard begins, and the end of the last one
 */
export function cutGroups(
  sections: readonly InputSection[],
  { shardBytes, limit = Number.POSITIVE_INFINITY }: { shardBytes: number; limit?: number | undefined },
): Position[] {
  const groups = sections.slice(0, -1).filter(({ start }) => start.row <= limit);
  const { start: end } = sections[groups.length] as InputSection; // the last one is the end of the input
  const row = Math.min(end.row, limit + 1);
  const cuts: Position[] = [];
  let before = 0;
  let target = 0;
  for (const { start, bytes } of groups) {
    if (before >= target) {
      cuts.push(start);
      target = (Math.floor(before / shardBytes) + 1) * shardBytes;
    }
    before += bytes;
  }
  const [first = end] = cuts;
  return [first, ...cuts.slice(1), { ...end, row, line: row }];
}

export interface CutOptions {
  source: ByteSource;
  layout: Layout;
  /** Rows of each group, if the output has groups. */
  groupRows?: number | undefined;
  /** Bytes of the source that were read already, and the position of the first one. */
  rest: Buffer;
  start: Position;
  /** A whole number of MiB. */
  shardBytes: number;
  maxRecordBytes: number;
  /** Number of the last row to score; undefined: all. */
  limit?: number | undefined;
  /** Aborted when no more is wanted. */
  stop: AbortSignal;
}

/** Rows of a batch, which is only read here. */
const BATCH_ROWS = 10_000;

/** Shards end where gzip members do, so that their outputs, one after the other, have the bytes of a single run. */
export const SHARD_UNIT = MEMBER_INPUT_BYTES;

/**
 * Finds where shards begin: at the first record that begins at a multiple of `shardBytes` or after it. That is also
 * where a gzip member of the output begins, because the record before it begins in another MiB. If the output has
 * groups of rows, it is the first record that begins one, too.
 *
 * @returns the end of the records
 * @throws RowcastError `record_too_long`, `unclosed_quote`; as `source`
 */
export async function* cutRecords(options: CutOptions): AsyncGenerator<Position, Position> {
  const { source, layout, groupRows, rest, start, shardBytes, maxRecordBytes, limit, stop } = options;
  const records = layout.records({
    start,
    limit,
    maxRecordBytes,
    file: source.name,
    isShared: false,
    // A batch ends where a group does.
    batchRows: groupRows ?? BATCH_ROWS,
    onGrid: groupRows !== undefined,
    batchBytes: () => Number.MAX_SAFE_INTEGER,
  });
  const next = ({ offset }: Position): number => (Math.floor(offset / shardBytes) + 1) * shardBytes;
  let target = next(start.offset === layout.start.offset ? INPUT_START : start);
  let end = start;
  for await (const batch of readBatches({ records, rest, source, stop })) {
    const find = groupRows === undefined ? firstFrom : firstOfGroup(groupRows);
    for (let at = find(batch, target); at < batch.ends.length; at = find(batch, target)) {
      const cut = layout.positionOf(batch, at);
      target = next(cut);
      yield cut;
    }
    ({ end } = batch);
    records.release(end.offset);
  }
  return end;
}

/** The index of the first record that begins at an input offset or after it; the number of records if none does. */
function firstFrom(batch: Batch, offset: number): number {
  let [low, high] = [0, batch.ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (batch.start.offset + startOf(batch, middle) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** As `firstFrom`, if a group begins there: with the first record of a batch, or with none. */
const firstOfGroup =
  (rows: number) =>
  ({ start, ends }: Batch, offset: number): number =>
    start.offset >= offset && (start.row - 1) % rows === 0 ? 0 : ends.length;
