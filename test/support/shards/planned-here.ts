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

/** A sharded run, planned in this process with a scorer of the test's own. */
export interface PlannedHere {
  folder: SharedFolder;
  plan: ShardPlan;
  /** What a worker needs. */
  options: Omit<RunValues, 'input'>;
}

interface Pair {
  input: string;
  output: string;
  rejects?: string | undefined;
}

/** Of one input. @param flags options of score, as flags have them */
export const planHere = (
  pair: Pair,
  scorer: Scorer,
  flags: Readonly<Record<string, unknown>> = {},
  backends?: Backends,
): Promise<PlannedHere> => planPairs([pair], scorer, flags, 'r', backends);

/** Its folder is next to its first output. */
export async function planPairs(
  pairs: readonly [Pair, ...Pair[]],
  scorer: Scorer,
  flags: Readonly<Record<string, unknown>>,
  report: string,
  backends?: Backends,
): Promise<PlannedHere> {
  const folder = openFolder(`${pairs[0].output}.shards`, backends);
  const pinned = pinnedOptions(flags, {}, path => join(folder.path, '..', path));
  const options = plannedValues({ ...pinned, report: { id: report, hash: '' } }, {});
  const { signal: stop } = new AbortController();
  const plan = await makePlan({
    pairs: pairs.map(({ input, output, rejects }) => ({ input, output, rejects })),
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
