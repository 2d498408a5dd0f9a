import { runOptions } from '../../config/options/score.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import { chooseService } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/with-scorer.ts';
import { readVersion } from '../../library/version.ts';
import { readPlan } from '../../shards/folder/read-plan.ts';
import type { SharedFolder } from '../../shards/folder/shared-folder.ts';
import type { WorkObserver } from '../../shards/work/attempt-shard.ts';
import { checkInputs, checkWorker } from '../../shards/work/check-worker.ts';
import type { WorkOptions } from '../../shards/work/work.ts';
import { reportedRequests } from '../connect.ts';
import type { Context } from '../context.ts';

export interface Joining {
  folder: SharedFolder;
  observer: WorkObserver;
  /** Whether to check first that this machine sees the inputs. */
  seesInputs?: boolean;
  stop: AbortSignal;
}

/**
 * Opens what a worker needs to score shards of a planned run.
 *
 * @throws RowcastError if it cannot score the bytes that were planned: `no_plan`, as `checkWorker` and `checkInputs`
 */
export async function joinRun<T>(
  context: Context,
  { folder, observer, seesInputs = false, stop }: Joining,
  use: (work: WorkOptions) => Promise<T>,
): Promise<T> {
  const plan = await readPlan(folder);
  const values = resolveValues(runOptions, context.flags, { ...plan.options, ...plan.settings });
  const options = { ...values, report: plan.report.id };
  const address = chooseService(context);
  if (seesInputs) await checkInputs(plan, values.encoding);
  const opening = { values, address, env: context.env, ...reportedRequests(context), stop };
  return withScorer(opening, async service => {
    await checkWorker(plan, { service, version: readVersion(), stop });
    return use({ folder, plan, options, service, observer, stop });
  });
}
