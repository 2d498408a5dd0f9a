import { revokeKey } from '../../service/keys.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { homeOf } from '../service.ts';

/** Takes a key away; a service that runs lets it in no more. */
export async function run({ flags, env, log }: Context): Promise<number> {
  const name = String(flags.name);
  await revokeKey(homeOf(env), name);
  log.info(`revoked key "${name}"`);
  return ExitCode.done;
}
