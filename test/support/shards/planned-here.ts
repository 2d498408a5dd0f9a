import { join } from 'node:path';
import type { RunValues } from '../../../src/base/options/values/run-values.ts';
import { readVersion } from '../../../src/base/version.ts';
import { plannedValues } from '../../../src/library/shards/assemble-job.ts';
import type { Scorer } from '../../../src/scoring/scorer.ts';
import { openFolder, PLAN } from '../../../src/shards/folder/names.ts';
import type { ShardPlan } from '../../../src/shards/folder/plan-shape.ts';
import { SHARD_UNIT } from '../../../src/shards/plan/cut-shards.ts';
import { makePlan } from '../../../src/shards/plan/make-plan.ts';
import { pinnedOptions } from '../../../src/shards/plan/pinned-options.ts';
import { publishShards } from '../../../src/shards/plan/publish-shards.ts';
import type { Backends } from '../../../src/storage/backends.ts';
import type { SharedFolder } from '../../../src/storage/shared-folder.ts';

/** A sharded run of one input, planned in this process with a scorer of the test's own. */
export interface PlannedHere {
  folder: SharedFolder;
  plan: ShardPlan;
  /** What a worker needs. */
  options: Omit<RunValues, 'input'>;
}

/** @param flags options of score, as flags have them */
export async function planHere(
  { input, output }: { input: string; output: string },
  scorer: Scorer,
  flags: Readonly<Record<string, unknown>> = {},
  backends?: Backends,
): Promise<PlannedHere> {
  const folder = openFolder(`${output}.shards`, backends);
  const pinned = pinnedOptions(flags, {}, path => join(folder.path, '..', path));
  const options = plannedValues({ ...pinned, report: { id: 'r', hash: '' } }, {});
  const { signal: stop } = new AbortController();
  const plan = await makePlan({
    pairs: [{ input, output, rejects: undefined }],
    unchanged: [],
    options,
    pinned,
    shardBytes: SHARD_UNIT,
    version: readVersion(),
    scorer,
    stop,
    note() {},
    backends,
  });
  await folder.prepare();
  await folder.create(PLAN, JSON.stringify(plan));
  await publishShards({ folder, plan, options, published: [], stop, backends });
  return { folder, plan, options: plannedValues(plan, {}) };
}
