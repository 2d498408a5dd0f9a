import { availableParallelism } from 'node:os';
import { workersOption } from '../../config/options/shards.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import { counted, countOf } from '../../library/numbers.ts';
import { ExitCode } from '../../library/run/exit-code.ts';
import { RunRecord } from '../../library/run/run-record.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/with-scorer.ts';
import { Interrupted } from '../../scoring/stop.ts';
import { readRun } from '../../shards/folder/read-run.ts';
import type { ShardPlan } from '../../shards/plan/plan-shape.ts';
import { OtherShards } from '../../shards/work/other-shards.ts';
import { assembleFinished } from '../commands/assemble.ts';
import { reportedRequests } from '../connect.ts';
import type { Context } from '../context.ts';
import type { Job } from '../score/read-job.ts';
import { beginTelemetry } from '../score/run-telemetry.ts';
import { totalCode } from '../score/total.ts';
import { onSignals } from '../signals.ts';
import { openProgress, type Progress, progressMode } from '../terminal/progress.ts';
import { FollowedRun } from './followed-run.ts';
import { makeShards, type Sharding } from './make-shards.ts';
import { startWorkers, type Workers, workerFlags } from './start-workers.ts';

/** Plans, scores the shards in processes of their own, and assembles them. The same command resumes it. */
export async function scoreWorkers(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  job: Job,
): Promise<number> {
  const record = new RunRecord(job.names, undefined);
  const attributes: Record<string, string> = {};
  const run = new FollowedRun(record, attributes);
  const telemetry = await beginTelemetry(context, run, { name: 'rowcast.run' });
  const { signal: over } = new AbortController();
  const follow: Following = {
    onPlan({ id, service }) {
      attributes['rowcast.plan'] = id;
      record.service = service;
    },
    onRecord: joined => run.follow(joined),
  };
  const score = () => scoreInWorkers({ ...context, telemetry: telemetry?.run }, defined, job, follow);
  try {
    return await (telemetry?.run.within(score) ?? score());
  } catch (error) {
    await record.fail(error, () => {}); // it writes nothing
    throw error;
  } finally {
    await telemetry?.close(over);
  }
}

/** Called with what a run comes to, for its traces and metrics. */
interface Following {
  onPlan: (plan: ShardPlan) => void;
  onRecord: (record: RunRecord) => void;
}

async function scoreInWorkers(
  context: Context,
  defined: Readonly<Record<string, unknown>>,
  job: Job,
  { onPlan, onRecord }: Following,
): Promise<number> {
  const { commandLine, env, flags, log, logFormat } = context;
  const { workers: number } = resolveValues(workersOption, flags, defined);
  const { values } = job;
  const address = chooseService(context, defined);
  const signals = onSignals({
    onFirst: signal => {
      log.warn(
        { event: 'signal', signal },
        `${signal}: the workers finish the rows in progress (up to 10 s)`,
      );
    },
  });
  const { first: stop } = signals;
  const progress = openProgress({ ...progressMode(flags), output: values.output, logFormat, log });
  try {
    const opening = { values, address, env, ...reportedRequests(context), stop };
    const { sharding, codes } = await withScorer(opening, async service => {
      const sharding = await makeShards(context, defined, job, { service, stop });
      onPlan(sharding.plan);
      const report = sharding.plan.report.id;
      log.info(
        { event: 'run_started', report, service: service.name, output: values.output, workers: number },
        `scoring ${job.names.input} with ${countOf(number, 'worker')}`,
      );
      const threads = Math.max(1, Math.floor(availableParallelism() / number));
      const own = workerFlags({ values, flags, address, env, number, threads });
      const traceparent = context.telemetry?.traceparent;
      const workers = startWorkers(sharding.folder.path, own, number, { traceparent, stop });
      return { sharding, codes: await untilDone(sharding, workers, { progress, stop }) };
    });
    progress.close();
    if (stop.aborted) {
      log.info({ event: 'run_suspended', command: commandLine }, `to resume, run: ${commandLine}`);
      throw new Interrupted(stop);
    }
    const failed = codes.filter(code => code !== ExitCode.done);
    const run = await readRun(sharding.folder);
    if (run.results.size < run.shards.length && failed.length > 0)
      return totalCode(failed, failed[0] ?? ExitCode.stopped);
    return await assembleFinished(context, run, defined, onRecord);
  } finally {
    progress.close();
    signals.end();
  }
}

/** Publishes the shards while the workers score them. @returns the workers' exit codes */
async function untilDone(
  { folder, publish }: Sharding,
  workers: Workers,
  { progress, stop }: { progress: Progress; stop: AbortSignal },
): Promise<number[]> {
  let planned = 0;
  let isPlanned = false;
  const others = new OtherShards(folder);
  let rows = { read: 0, rejected: 0 };
  const look = setInterval(async () => {
    rows = await others.count(-1).catch(() => rows);
    progress.show(seconds => ({
      cells: [
        isPlanned && planned > 0 ? `${Math.floor((100 * rows.read) / planned)}%` : '',
        `${counted(rows.read)} rows`,
        `${counted(rows.read / seconds)} rows/s`,
        rows.rejected === 0 ? '' : countOf(rows.rejected, 'reject'),
        countOf(workers.running, 'worker'),
      ],
      fields: { rows, workers: workers.running },
    }));
  }, 1_000);
  try {
    await publish(({ from, to }) => {
      planned += from === null || to === null ? 0 : to.row - from.row;
    });
    isPlanned = true;
    return await workers.ended;
  } catch (error) {
    workers.stop();
    await workers.ended;
    throw stop.aborted ? new Interrupted(stop) : error;
  } finally {
    clearInterval(look);
  }
}
