import type { Position } from '../../formats/records/position.ts';
import { checkBalance, type RowCounts, sumOf, unbalanced } from '../../scoring/row-counts.ts';
import { partPathOf } from '../folder/part-path.ts';
import type { PlanFile, Shard } from '../folder/plan-shape.ts';
import type { ShardedRun } from '../folder/read-run.ts';
import type { ShardResult } from '../folder/result-shape.ts';

/** A part of an output. */
export interface Part {
  shard: number;
  path: string;
  result: ShardResult;
  /** Where the next part begins in the input. */
  end: Position;
}

/** The parts of one output, in order. */
export interface FileParts {
  /** The index of its input in the plan. */
  index: number;
  file: PlanFile;
  parts: readonly Part[];
  /** The row counts of all parts. */
  rowCounts: RowCounts;
}

/**
 * The parts of each output of a run whose shards all have a result.
 *
 * @throws RowcastError `unbalanced` if a part does not have all rows of its shard
 */
export function filePartsOf({ folder, plan, shards, results }: ShardedRun): FileParts[] {
  return plan.files.map((file, index) => {
    const parts = shards.flatMap((shard): Part[] => {
      const result = results.get(shard.shard);
      if (shard.file !== index || result === undefined) return [];
      checkRows(shard, result.rowCounts);
      const path = partPathOf(folder, plan, { ...shard, attempt: result.attempt });
      return [{ shard: shard.shard, path, result, end: endOf(shard, result) }];
    });
    const rowCounts = sumOf(parts.map(part => part.result.rowCounts));
    checkBalance(rowCounts);
    return { index, file, parts, rowCounts };
  });
}

function checkRows({ shard, from, to }: Shard, rowCounts: RowCounts): void {
  checkBalance(rowCounts);
  if (from === null || to === null || rowCounts.read === to.row - from.row) return;
  throw unbalanced(`shard ${shard} has ${to.row - from.row} rows, but ${rowCounts.read} were read`);
}

/** A compressed input is one shard, and its end was not known before. */
const endOf = ({ to }: Shard, { rowCounts: { read, bytesIn } }: ShardResult): Position =>
  to ?? { offset: bytesIn, row: read + 1, line: 1 };
