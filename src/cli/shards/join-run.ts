import { randomUUID } from 'node:crypto';
import { runOptions } from '../../base/options/score.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import type { JobValues } from '../../base/options/values/run-values.ts';
import { readVersion } from '../../base/version.ts';
import { namesOf } from '../../library/runs-of.ts';
import type { Address } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/open-predictor.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { followedRun } from '../../runs/observers/telemetry/run-observers.ts';
import type { ObservedRun } from '../../runs/observers/telemetry/run-telemetry.ts';
import { RunTracker } from '../../runs/run-tracker.ts';
import { sumOf } from '../../scoring/row-counts.ts';
import type { ShardPlan } from '../../shards/folder/plan-shape.ts';
import { readPlan } from '../../shards/folder/read-run.ts';
import { type GivenLimits, WorkerPace } from '../../shards/pace/pace-member.ts';
import type { WorkObserver } from '../../shards/work/attempt-shard.ts';
import { checkInputs, checkWorker } from '../../shards/work/check-worker.ts';
import type { WorkOptions } from '../../shards/work/work.ts';
import { backendsOf } from '../../storage/backends.ts';
import { thisProcess } from '../../storage/local/locks/lock-holder.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { Context } from '../context.ts';
import { scorerOptionsOf } from '../open-service.ts';
import { storeRetryLines } from '../retry-lines.ts';
import { beginTelemetry } from '../score/sent-events.ts';
import { afterSignal } from '../score/until-signal.ts';
import { observeBoth } from './observe-work.ts';

export interface Joining {
  folder: SharedFolder;
  observer: WorkObserver;
  /** Whether to check first that this machine sees the inputs. */
  seesInputs?: boolean;
  stop: AbortSignal;
}

/**
 * Opens what a worker needs to score shards of a planned run: the service, its part in the pace of all workers, and its
 * traces and metrics.
 *
 * @throws RowcastError if it cannot score the bytes that were planned: `no_plan`, as `checkWorker` and `checkInputs`
 */
export async function joinRun<T>(
  given: Context,
  { folder, observer, seesInputs = false, stop }: Joining,
  use: (work: WorkOptions) => Promise<T>,
): Promise<T> {
  const plan = await readPlan(folder);
  const values = resolveValues(runOptions, given.flags, { ...plan.options, ...plan.settings });
  const options = { ...values, report: plan.report.id };
  const retried = storeRetryLines(given.log, values.maxOutage);
  // The leases of shards decide who writes a part.
  const backends = backendsOf(values, { onRetry: retried, leaseMs: 0 });
  if (seesInputs) await checkInputs(plan, values.encoding, backends);
  const worker = randomUUID();
  const traced = await traceWork(given, plan, values);
  const context = { ...given, defined: { protocol: values.protocol }, telemetry: traced?.telemetry.run };
  const opening = scorerOptionsOf(context, values, stop);
  const own = { worker, process: thisProcess(), given: givenLimits(values, opening.address) };
  const sharedPace = new WorkerPace({ folder, ...own });
  const joined = (): Promise<T> =>
    withScorer({ ...opening, sharedPace }, async scorer => {
      await checkWorker(plan, { scorer, version: readVersion(), stop });
      const watched = observeBoth(observer, traced?.observer);
      return use({ folder, plan, options, scorer, worker, sharedPace, observer: watched, stop, backends });
    });
  try {
    await sharedPace.join();
    const result = await (traced?.telemetry.run.within(joined) ?? joined());
    await traced?.end();
    return result;
  } catch (error) {
    await traced?.end(error);
    throw error;
  } finally {
    await sharedPace.leave();
    await traced?.telemetry.close(afterSignal(stop));
  }
}

/** What the workers keep to together, unless another one was told less. */
const givenLimits = (
  { maxRequestsPerSecond, maxRowsPerSecond }: JobValues,
  { kind }: Address,
): GivenLimits => ({
  // A local report gets no requests.
  requests: kind === 'local' ? null : (maxRequestsPerSecond ?? null),
  rows: maxRowsPerSecond ?? null,
});

/**
 * Begins to send traces and metrics of a worker, with a span for each shard, if the environment asks for them. The
 * metrics are those of the shard that it scores.
 *
 * @param values of the plan
 */
async function traceWork(context: Context, plan: ShardPlan, values: JobValues) {
  const newTracker = (input: string, output: string): RunTracker => {
    const tracker = new RunTracker({
      names: namesOf({ ...values, output, report: plan.report.id }, [input]),
    });
    tracker.service = plan.service;
    tracker.predictionType = plan.predictionType;
    return tracker;
  };
  // The run gets its id when it is assembled.
  const ofPlan = { 'rowcast.plan': plan.id, 'rowcast.run_id': undefined };
  const listed = (name: 'input' | 'output'): string => plan.files.map(file => file[name]).join(', ');
  const whole = newTracker(listed('input'), listed('output'));
  let current: { tracker: RunTracker; run: ObservedRun } | undefined;
  const measured: ObservedRun = {
    get state() {
      return (current?.tracker ?? whole).state;
    },
    get attributes() {
      return current?.run.attributes ?? ofPlan;
    },
  };
  const run = followedRun(whole, ofPlan);
  const telemetry = await beginTelemetry(context, run, {
    name: 'rowcast.work',
    measured,
    parent: plan.trace,
  });
  if (telemetry === undefined) return undefined;
  return {
    telemetry,
    observer: {
      onProgress(_, { rowCounts }) {
        if (current !== undefined) current.tracker.rowCounts = rowCounts;
      },
      async within({ shard, attempt }, use) {
        const file = plan.files[shard.file];
        const tracker = newTracker(file?.input ?? '', file?.output ?? '');
        const attributes = { ...ofPlan, 'rowcast.shard': shard.shard, 'rowcast.shard.attempt': attempt };
        const run = followedRun(tracker, attributes);
        current = { tracker, run };
        const span = telemetry.run.begin(run, 'rowcast.shard');
        try {
          const scored = await span.within(() => use(span.traceBatch));
          tracker.rowCounts = scored.rowCounts;
          whole.rowCounts = sumOf([whole.rowCounts, scored.rowCounts]);
          await tracker.end('finished', ExitCode.done);
          return scored;
        } catch (error) {
          await tracker.fail(error);
          throw error;
        } finally {
          span.end();
        }
      },
    } satisfies Pick<WorkObserver, 'within' | 'onProgress'>,
    async end(error?: unknown): Promise<void> {
      if (error === undefined) await whole.end('finished', ExitCode.done);
      else await whole.fail(error);
    },
  };
}
