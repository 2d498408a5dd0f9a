import type { Position } from '../../formats/records/position.ts';
import { checkBalance, type RowCounts, sumOf } from '../../scoring/row-counts.ts';
import { partPathOf } from '../folder/part-output.ts';
import type { PlanFile, Shard } from '../folder/plan-shape.ts';
import { checkShardRows, type ShardedRun } from '../folder/read-run.ts';
import type { ShardResult } from '../folder/result-shape.ts';

/** A part of an output. */
export interface OutputPart {
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
  parts: readonly OutputPart[];
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
    const parts = shards.flatMap((shard): OutputPart[] => {
      const result = results.get(shard.shard);
      if (shard.file !== index || result === undefined) return [];
      checkShardRows(shard, result.rowCounts);
      const path = partPathOf(folder, plan, { ...shard, attempt: result.attempt });
      return [{ shard: shard.shard, path, result, end: endOf(shard, result) }];
    });
    const rowCounts = sumOf(parts.map(part => part.result.rowCounts));
    checkBalance(rowCounts);
    return { index, file, parts, rowCounts };
  });
}

/** A compressed input is one shard, and its end was not known before. */
const endOf = ({ to }: Shard, { rowCounts: { read, bytesIn } }: ShardResult): Position =>
  to ?? { offset: bytesIn, row: read + 1, line: 1 };

/** What the workers of a run have done, as far as the results of the shards say. */
interface WorkTime {
  /** ISO 8601; start of the first shard. */
  startedAt: string | undefined;
  /** During which at least one worker scored. Attempts that ended early have no result, so theirs is not known. */
  seconds: number;
  /** Scored in that time. */
  rows: number;
}

/** By the clocks of the workers' machines, which should not differ much. */
export function workTimeOf(
  results: readonly Pick<ShardResult, 'started_at' | 'finished_at' | 'rows_before' | 'rowCounts'>[],
): WorkTime {
  const spans = results
    .map(({ started_at, finished_at }) => ({ from: Date.parse(started_at), to: Date.parse(finished_at) }))
    .sort((a, b) => a.from - b.from);
  let [milliseconds, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of spans) {
    milliseconds += Math.max(0, to - Math.max(from, end));
    end = Math.max(end, to);
  }
  const [first] = spans;
  return {
    startedAt: first && new Date(first.from).toISOString(),
    seconds: milliseconds / 1000,
    rows: results.reduce((sum, { rowCounts, rows_before }) => sum + rowCounts.read - rows_before, 0),
  };
}
