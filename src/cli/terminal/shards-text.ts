import { counted, countOf, durationOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { commandOf } from '../../base/shell-word.ts';
import type { ShardsProgress } from '../../shards/status/read-progress.ts';
import type { ShardsReport } from '../../shards/status/shards-report.ts';
import { alignColumns } from './print.ts';

/** Shards that were given up and are listed. */
const MAX_LISTED = 5;

/**
 * Describes a sharded run for people.
 *
 *     scored.csv.shards: running, 3 workers
 *
 *       shards  2 waiting, 3 running, 10 done
 *       rows    1,250,000 read, 12 rejected
 *       rate    212,000 rows/s, about 12 s left
 *
 * @param service the flags that choose the service in the next command
 */
export function describeShards(
  { run }: ShardsProgress,
  report: ShardsReport,
  service: readonly string[],
): string {
  const rows = [...rowsOf(run, report, service)].map(([name, text]) => [`  ${name}`, text ?? '']);
  return `${sanitize(run.folder.path)}: ${stateOf(report)}\n\n${alignColumns(rows)}`;
}

function stateOf({
  state,
  shards,
  is_planned: isPlanned,
  is_cancelled: isCancelled,
  ...report
}: ShardsReport) {
  if (report.is_assembling) return 'the parts are being joined';
  if (state === 'running')
    return `running, ${countOf(report.workers, 'worker')}${isCancelled ? ', and cancelled: the workers are about to stop' : ''}`;
  if (isCancelled) return 'cancelled; the command that planned the run resumes it';
  if (shards.failed > 0) return 'stopped: shards were given up';
  if (!isPlanned) return 'stopped, and the plan is not finished: the command that planned the run goes on';
  return shards.waiting === 0 ? 'all shards are done' : 'stopped: no worker is alive';
}

function* rowsOf(
  { folder, failures }: ShardsProgress['run'],
  report: ShardsReport,
  service: readonly string[],
): Generator<string[]> {
  const { shards, rows, rows_per_second: rate, eta_seconds: left, fraction } = report;
  const states = Object.entries(shards).filter(([, count]) => count > 0);
  const unplanned = report.is_planned ? '' : ' so far';
  yield ['shards', states.map(([name, count]) => `${counted(count)} ${name}`).join(', ') + unplanned];
  const share = fraction === null ? '' : `, ${Math.floor(100 * fraction)}% of the input`;
  const rejected = rows?.rejected ? `, ${counted(rows.rejected)} rejected` : '';
  yield ['rows', `${counted(rows?.read ?? 0)} read${rejected}${share}`];
  if (rate !== null)
    yield ['rate', `${counted(rate)} rows/s${left === null ? '' : `, about ${durationOf(left)} left`}`];
  yield ['input', sanitize(report.input ?? '')];
  yield ['output', sanitize(report.output)];
  for (const { shard, error } of [...failures.values()].slice(0, MAX_LISTED))
    yield ['given up', `shard ${shard}: ${sanitize(error.message)} [${sanitize(error.code)}]`];
  if (failures.size > MAX_LISTED) yield ['', `and ${counted(failures.size - MAX_LISTED)} more`];
  const next = nextOf(report);
  if (next !== undefined) yield ['next', commandOf(next, [folder.path, ...service])];
}

function nextOf({ state, shards, is_planned: isPlanned, is_cancelled: isCancelled }: ShardsReport) {
  if (state === 'running' || isCancelled || !isPlanned || shards.failed > 0) return undefined;
  return shards.waiting === 0 ? 'assemble' : 'work';
}
