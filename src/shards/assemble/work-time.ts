import type { ShardResult } from '../folder/result-shape.ts';

/** What the workers of a run have done, as far as the results of the shards say. */
export interface WorkTime {
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
