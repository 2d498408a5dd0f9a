import type { Piece } from '../../formats/format.ts';
import type { Position } from '../../formats/records/position.ts';

/** The codec of an input that is divided at its groups of rows. */
export const PARQUET = 'parquet';

/**
 * Finds where shards of whole pieces begin: a shard ends with the piece that reaches a multiple of `shardBytes`. Nothing is read.
 *
 * @param pieces of an input, and its end
 * @param options `shardBytes` is in bytes of the file; `limit` is the number of the last row to score, if not all are
 * @returns where each shard begins, and the end of the last one
 */
export function cutGroups(
  pieces: readonly Piece[],
  { shardBytes, limit = Number.POSITIVE_INFINITY }: { shardBytes: number; limit?: number | undefined },
): Position[] {
  const groups = pieces.slice(0, -1).filter(({ start }) => start.row <= limit);
  const { start: end } = pieces[groups.length] as Piece; // the last one is the end of the input
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
