import { randomUUID } from 'node:crypto';
import { runOptions } from '../../config/options/score.ts';
import { workOptions } from '../../config/options/shards.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import { countOf } from '../../library/numbers.ts';
import { ExitCode } from '../../library/run/exit-code.ts';
import type { ScoreValues } from '../../library/run/score-values.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/with-scorer.ts';
import { shardsAt } from '../../library/shards/find-folder.ts';
import { readVersion } from '../../library/version.ts';
import { shardsFailed } from '../../shards/assemble/check-complete.ts';
import { readPlan } from '../../shards/folder/read-plan.ts';
import { readRun } from '../../shards/folder/read-run.ts';
import type { GivenLimits } from '../../shards/pace/shared-limits.ts';
import { WorkerPace } from '../../shards/pace/worker-pace.ts';
import { checkWorker } from '../../shards/work/check-worker.ts';
import { chosenShards } from '../../shards/work/chosen-shards.ts';
import { work } from '../../shards/work/work.ts';
import { thisProcess } from '../../storage/local/locks/lock-holder.ts';
import { reportedRequests } from '../connect.ts';
import type { Context } from '../context.ts';
import { AFTER_SIGNAL_MS } from '../score/run-telemetry.ts';
import { observeBoth, observeWork } from '../shards/observe-work.ts';
import { traceWork } from '../shards/trace-work.ts';
import { workCommandOf } from '../shards/work-command.ts';
import { onSignals } from '../signals.ts';

/** Scores shards of a plan until none is left, or those that were asked for. */
export async function run(given: Context): Promise<number> {
  const { flags, env, log } = given;
  const { shard, shardsPerTask } = resolveValues(workOptions, flags);
  const only = chosenShards(shard, shardsPerTask, env);
  const folder = await shardsAt(String(flags.dir));
  const plan = await readPlan(folder);
  const worker = randomUUID();
  const values = resolveValues(runOptions, flags, { ...plan.options, ...plan.settings });
  const options = { ...values, report: plan.report.id };
  const address = chooseService(given);
  const signals = onSignals({
    onFirst: signal =>
      log.warn({ event: 'signal', signal }, `${signal}: finishing the rows in progress (up to 10 s)`),
  });
  const { first: stop } = signals;
  const sharedPace = new WorkerPace({ folder, worker, process: thisProcess(), given: givenLimits(values) });
  const traced = await traceWork(given, plan, values, stop);
  const context: Context = { ...given, telemetry: traced?.telemetry.run };
  const opening = { values, address, env, ...reportedRequests(context), sharedPace, stop };
  const score = () =>
    withScorer(opening, async service => {
      await checkWorker(plan, { service, version: readVersion(), stop });
      const watched = observeWork(context);
      try {
        const observer = observeBoth(watched.observer, traced?.observer);
        const failed = await work(
          { folder, plan, options, service, worker, sharedPace, observer, stop },
          only,
        );
        log.info(
          { event: 'work_finished', shards: watched.done },
          `${countOf(watched.done, 'shard')} scored`,
        );
        if (failed.length === 0) return ExitCode.done;
        const failures = [...(await readRun(folder)).failures.values()].filter(each =>
          failed.includes(each.shard),
        );
        throw shardsFailed(folder.path, failures, workCommandOf(context, { folder, plan }));
      } finally {
        watched.close();
      }
    });
  try {
    await sharedPace.join();
    const code = await (traced?.telemetry.run.within(score) ?? score());
    await traced?.end();
    return code;
  } catch (error) {
    await traced?.end(error);
    throw error;
  } finally {
    await sharedPace.leave();
    await traced?.telemetry.close(stop.aborted ? AbortSignal.timeout(AFTER_SIGNAL_MS) : stop);
    signals.end();
  }
}

/** What the workers keep to together, unless another one was told less. */
const givenLimits = ({ maxRequestsPerSecond, maxRowsPerSecond }: ScoreValues): GivenLimits => ({
  requests: maxRequestsPerSecond ?? null,
  rows: maxRowsPerSecond ?? null,
});
