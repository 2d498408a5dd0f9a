import { type Address, DEFAULT_KEY, type Given, homeOf } from '../../library/service/choose-service.ts';
import type { ShardedRun } from '../../shards/folder/read-run.ts';
import type { ShardPlan } from '../../shards/plan/plan-shape.ts';
import { shellWord } from '../../shell-word.ts';
import type { Context } from '../context.ts';
import { LOCAL } from '../service.ts';

/** The service of a plan, to name it in a command. No key is sent there: a plan may be somebody else's. */
export const plannedAddress = (given: Given, { service }: Pick<ShardPlan, 'service'>): Address =>
  service === LOCAL
    ? { kind: 'local', home: homeOf(given) }
    : { kind: 'remote', url: service, key: { kind: 'environment', name: DEFAULT_KEY }, allowHttp: false };

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
