import { classesOf } from '../../base/contract/predictions.ts';
import type { StatusReport } from '../../runs/status/status-report.ts';
import { type RowCounts, sumOf } from '../../scoring/row-counts.ts';
import type { LastAttempt, ShardsProgress } from './read-progress.ts';

/** What `rowcast status --json` prints about a sharded run. */
export interface ShardsReport extends StatusReport {
  /** The number of shards in each state; while the plan is not finished, of those that are known. */
  shards: { waiting: number; running: number; done: number; failed: number };
  /** Whether all shards are known. */
  is_planned: boolean;
  /** Processes that score shards now. */
  workers: number;
  is_cancelled: boolean;
  is_assembling: boolean;
}

export function shardsReport({ run, attempts, isCancelled, isAssembling }: ShardsProgress): ShardsReport {
  const { plan, shards, results, failures } = run;
  const running = attempts.filter(({ isAlive }) => isAlive);
  const rowCounts = sumOf([...results.values()].map(result => result.rowCounts));
  const rows = rowsOf(rowCounts, attempts);
  const pace = paceOf(rows.read, run, running);
  const isAlive = running.length > 0 || isAssembling;
  const seen = attempts.map(attempt => attempt.seen.getTime());
  return {
    format: 1,
    output: plan.files.map(({ output }) => output).join(', '),
    state: isAlive ? 'running' : 'stopped',
    alive: isAlive,
    pid: null,
    host: null,
    input: plan.files.map(({ input }) => input).join(', '),
    service: plan.service,
    report: plan.report.id,
    classes: classesOf(plan.predictionType),
    prediction: plan.predictionType ?? null,
    rows,
    blank_lines: rowCounts.blank,
    batches: rowCounts.batches,
    calls: rowCounts.calls,
    retries: rowCounts.retries,
    bytes_in: rowCounts.bytesIn,
    bytes_out: rowCounts.bytesOut,
    fraction: pace.fraction,
    rows_per_second: pace.rate,
    eta_seconds: pace.secondsLeft,
    checkpoint_at: seen.length === 0 ? null : new Date(Math.max(...seen)).toISOString(),
    shards: {
      waiting: shards.length - results.size - failures.size - running.length,
      running: running.length,
      done: results.size,
      failed: failures.size,
    },
    is_planned: run.isPlanned,
    workers: new Set(running.map(({ holder }) => holder.worker)).size,
    is_cancelled: isCancelled,
    is_assembling: isAssembling,
  };
}

/** Rows of finished shards, and of the others so far. */
function rowsOf(rowCounts: RowCounts, attempts: readonly LastAttempt[]): NonNullable<ShardsReport['rows']> {
  const sum = (of: 'read' | 'rejected'): number =>
    attempts.reduce((total, { beat }) => total + (beat?.[of] ?? 0), rowCounts[of]);
  const [read, rejected] = [sum('read'), sum('rejected')];
  return { read, scored: read - rejected, rejected, rejected_by: rowCounts.rejectedBy };
}

/** How fast the workers are together, and how much is left if all rows are known. */
function paceOf(
  read: number,
  { shards, isPlanned }: ShardsProgress['run'],
  running: readonly LastAttempt[],
): { fraction: number | null; rate: number | null; secondsLeft: number | null } {
  const isCounted = isPlanned && shards.every(({ to }) => to !== null);
  const all = shards.reduce((sum, { from, to }) => sum + ((to?.row ?? 0) - (from?.row ?? 0)), 0);
  const rates = running.flatMap(({ shard, holder, beat, begun, seen }) => {
    const seconds = (seen.getTime() - begun.getTime()) / 1000;
    const before = holder.row - (shards[shard]?.from?.row ?? 1);
    return beat === undefined || seconds <= 0 ? [] : [Math.max(0, beat.read - before) / seconds];
  });
  const rate = rates.length === 0 ? null : rates.reduce((sum, each) => sum + each, 0);
  return {
    fraction: isCounted && all > 0 ? Math.min(1, read / all) : null,
    rate: rate === null ? null : Math.round(10 * rate) / 10,
    secondsLeft: isCounted && rate ? Math.ceil(Math.max(0, all - read) / rate) : null,
  };
}
