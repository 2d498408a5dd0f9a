import type { Given } from '../../library/service/choose-service.ts';
import type { ShardedRun } from '../../shards/folder/read-run.ts';
import type { ShardPlan } from '../../shards/plan/plan-shape.ts';
import { shellWord } from '../../shell-word.ts';
import type { Context } from '../context.ts';
import { LOCAL } from '../service.ts';

/** Flags and environment with the service of a plan, unless a flag names it. */
export const givenService = (
  { flags, env }: Pick<Context, 'flags' | 'env'>,
  { service }: Pick<ShardPlan, 'service'>,
): Given => ({ env, flags: { url: service, ...flags } });

/** The command that scores one shard, as this machine would run it. */
export function workCommandOf(
  { flags, env }: Pick<Context, 'flags' | 'env'>,
  { folder, plan: { service } }: Pick<ShardedRun, 'folder' | 'plan'>,
): (shard: number) => string {
  const isKnown = service === (env.ROWCAST_URL || LOCAL);
  const url = isKnown ? [] : ['--url', service];
  const home = service === LOCAL && flags.home !== undefined ? ['--home', String(flags.home)] : [];
  return shard =>
    ['rowcast', 'work', folder.path, '--shard', String(shard), ...url, ...home].map(shellWord).join(' ');
}
