import { Interrupted } from '../../base/interrupted.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { queueOption, workersOption } from '../../base/options/shards.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { commandOf } from '../../base/shell-word.ts';
import { reasonOf } from '../../base/system-error.ts';
import { flagsOfAddress } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/open-predictor.ts';
import { combineExitCodes } from '../../library/several/combine-exit-codes.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { inputWait } from '../../runs/input-wait.ts';
import { followedRun } from '../../runs/observers/telemetry/run-observers.ts';
import type { RunJob } from '../../runs/run.ts';
import { RunTracker } from '../../runs/run-tracker.ts';
import type { ShardPlan } from '../../shards/folder/plan-shape.ts';
import { readRun } from '../../shards/folder/read-run.ts';
import { feedRun } from '../../shards/queue/feed-run.ts';
import { chooseQueue, type QueueAddress } from '../../shards/queue/queue-address.ts';
import { queuedRun } from '../../shards/queue/shard-queue.ts';
import { OtherShards } from '../../shards/work/see-attempts.ts';
import type { Context } from '../context.ts';
import { scorerOptionsOf } from '../open-service.ts';
import { waitingLog } from '../score/log-run.ts';
import { nameOf } from '../score/read-job.ts';
import { beginTelemetry } from '../score/sent-events.ts';
import { afterSignal } from '../score/until-signal.ts';
import { untilStopped } from '../signals.ts';
import { openProgress, type ProgressDisplay } from '../terminal/progress.ts';
import { assembleFinished } from './assemble-finished.ts';
import { makeShards, type Sharding } from './make-shards.ts';
import { startWorkers, type Workers, workerFlags } from './start-workers.ts';
import { storeFlags } from './store-flags.ts';
import { explainQueue, type OpenedQueue, withQueue } from './with-queue.ts';

/**
 * Plans, scores the shards in processes of their own and those of other machines that have the same queue, and
 * assembles them. The same command resumes it.
 */
export async function scoreWorkers(context: Context, job: RunJob): Promise<number> {
  const { flags, env } = context;
  const tracker = new RunTracker({ names: job.names });
  const attributes: Record<string, string> = {};
  const run = followedRun(tracker, attributes);
  const telemetry = await beginTelemetry(context, run, { name: 'rowcast.run' });
  const follow: Following = {
    onPlan({ id, service }) {
      attributes['rowcast.plan'] = id;
      tracker.service = service;
    },
    onTracker: joined => run.follow(joined),
  };
  const traced: Context = { ...context, telemetry: telemetry?.run };
  let over: AbortSignal | undefined;
  const score = async (): Promise<number> => {
    const address = chooseQueue(resolveValues(queueOption, flags).queue, env.ROWCAST_QUEUE);
    const scoreWith = (queue?: UsedQueue): Promise<number> =>
      untilStopped(
        context.log,
        { stopping: 'the workers finish the rows in progress (up to 10 s)' },
        stop => {
          over = stop;
          return scoreShards(traced, job, follow, stop, queue);
        },
      );
    if (address === undefined) return scoreWith();
    return withQueue(traced, address, opened => scoreWith({ address, ...opened }));
  };
  try {
    return await (telemetry?.run.within(score) ?? score());
  } catch (error) {
    explainQueue(error, context);
    await tracker.fail(error);
    throw error;
  } finally {
    await telemetry?.close(over === undefined ? new AbortController().signal : afterSignal(over));
  }
}

type UsedQueue = OpenedQueue & { address: QueueAddress };

/** Called with what a run comes to, for its traces and metrics. */
interface Following {
  onPlan: (plan: ShardPlan) => void;
  onTracker: (tracker: RunTracker) => void;
}

async function scoreShards(
  context: Context,
  job: RunJob,
  { onPlan, onTracker }: Following,
  stop: AbortSignal,
  queue?: UsedQueue,
): Promise<number> {
  const { commandLine, env, flags, defined, log } = context;
  const { workers } = resolveValues(workersOption, flags, defined);
  const isGiven = (flags.workers ?? defined.workers) !== undefined;
  const number = queue !== undefined && !isGiven ? 1 : workers;
  const { values } = job;
  const progress = openProgress(context, { output: values.output });
  try {
    const opening = scorerOptionsOf(context, values, stop);
    const { address } = opening;
    const { inputs, backends } = job;
    await inputWait({ ...values, inputs, backends, stop, onWaiting: waitingLog(log) })?.arrived();
    const { sharding, codes } = await withScorer(opening, async scorer => {
      const sharding = await makeShards(context, job, { scorer, stop });
      const { folder, plan } = sharding;
      onPlan(plan);
      const report = plan.report.id;
      if (plan.files.length === 0) {
        await sharding.publish(() => {});
        return { sharding, codes: [] };
      }
      log.info(
        { event: 'run_started', report, service: scorer.name, output: values.output, workers: number },
        `scoring ${nameOf(job)}${withWorkers(number, queue, [...flagsOfAddress(address, env), ...storeFlags(values)])}`,
      );
      const own = workerFlags(context, values, address, Math.max(1, number));
      const source = queue === undefined ? ['--shard', 'any'] : ['--queue', queue.address.flag];
      const traceparent = context.telemetry?.traceparent;
      const onFailed = (cause: NodeJS.ErrnoException): void =>
        log.warn({ event: 'worker_not_started' }, `cannot start a worker: ${reasonOf(cause)}`);
      const started = startWorkers([folder.path, ...source, ...own], number, { traceparent, stop, onFailed });
      return { sharding, codes: await untilScored(sharding, started, { progress, stop, queue }) };
    });
    progress.close();
    if (stop.aborted) {
      const others =
        queue === undefined
          ? ''
          : `\nOther workers go on; to stop them: ${commandOf('cancel', [sharding.folder.path, ...storeFlags(values)])}`;
      log.info({ event: 'run_suspended', command: commandLine }, `to resume, run: ${commandLine}${others}`);
      throw new Interrupted(stop);
    }
    const failed = codes.filter(code => code !== ExitCode.done);
    const run = await readRun(sharding.folder);
    if (run.results.size < run.shards.length && failed.length > 0)
      return combineExitCodes(failed, failed[0] ?? ExitCode.stopped);
    return await assembleFinished(context, run, onTracker);
  } finally {
    progress.close();
  }
}

/** How many workers this command has, and how to start others. @param service the flags that choose the service */
function withWorkers(number: number, queue: UsedQueue | undefined, service: readonly string[]): string {
  const own = number === 0 ? '' : ` with ${countOf(number, 'worker')}`;
  if (queue === undefined) return own;
  return `${own}${number === 0 ? '; workers of any machine' : '; more of them, on any machine'}: ${commandOf('work', ['--queue', queue.address.flag, ...service])}`;
}

/**
 * Publishes the shards while they are scored, and waits until no worker has anything left to do.
 *
 * @param queue gives the shards to workers of other machines too
 * @returns the exit codes of the workers of this machine
 * @throws RowcastError as `publishShards` and `feedRun`; Interrupted
 */
export async function untilScored(
  sharding: Sharding,
  workers: Workers,
  { progress, stop, queue }: { progress: ProgressDisplay; stop: AbortSignal; queue: OpenedQueue | undefined },
): Promise<number[]> {
  const shown = showProgress(sharding, workers, progress);
  const ownEnd = new AbortController();
  const scored = queue === undefined ? workers.ended : feed(sharding, workers, queue, { stop, ownEnd });
  scored.catch(() => {}); // awaited below, unless publishing fails
  try {
    await sharding.publish(({ from, to }) =>
      shown.plan(from === null || to === null ? 0 : to.row - from.row),
    );
    shown.planned();
    return await scored;
  } catch (error) {
    workers.stop();
    ownEnd.abort();
    await workers.ended;
    await scored.catch(() => {});
    throw stop.aborted ? new Interrupted(stop) : error;
  } finally {
    shown.close();
  }
}

/** Gives the shards to a queue until they are scored, or all workers of this machine have failed. */
async function feed(
  { folder, plan }: Sharding,
  { ended }: Workers,
  { queue, monitor }: OpenedQueue,
  { stop, ownEnd }: { stop: AbortSignal; ownEnd: AbortController },
): Promise<number[]> {
  const run = queuedRun(folder, plan);
  void ended.then(codes => {
    if (codes.length > 0 && codes.every(code => code !== ExitCode.done)) ownEnd.abort();
  });
  try {
    await feedRun({ folder, queue, run, monitor, stop: AbortSignal.any([stop, ownEnd.signal]) });
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error;
  }
  return ended;
}

function showProgress({ folder }: Sharding, workers: Workers, progress: ProgressDisplay) {
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
  return {
    plan(rows: number) {
      planned += rows;
    },
    planned() {
      isPlanned = true;
    },
    close: () => clearInterval(look),
  };
}
