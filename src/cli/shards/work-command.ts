import { commandOf } from '../../base/shell-word.ts';
import {
  type Address,
  chooseService,
  flagsOfAddress,
  type Given,
} from '../../library/service/choose-service.ts';
import type { ShardPlan } from '../../shards/folder/plan-shape.ts';
import type { ShardedRun } from '../../shards/folder/read-run.ts';
import type { Context } from '../context.ts';
import { storeFlagsOf } from './store-flags.ts';

/**
 * The service of a plan, with the key that this command was given for it, to name both in another command. Nothing is
 * sent there: a plan may be somebody else's.
 */
export function plannedAddress(
  given: Given,
  { service, protocol }: Pick<ShardPlan, 'service' | 'protocol'>,
): Address {
  const { ROWCAST_URL: _, ...env } = given.env;
  const planned = protocol === undefined ? {} : { protocol };
  return chooseService({ flags: { ...given.flags, url: service }, env, defined: planned });
}

/** The command that scores one shard, as this machine would run it. */
export function workCommandOf(
  context: Pick<Context, 'flags' | 'env'>,
  { folder, plan }: Pick<ShardedRun, 'folder' | 'plan'>,
): (shard: number) => string {
  const service = flagsOfAddress(plannedAddress(context, plan), context.env);
  const stores = storeFlagsOf(context.flags);
  return shard => commandOf('work', [folder.path, '--shard', String(shard), ...service, ...stores]);
}
