import { homeOf } from '../../library/service/choose-service.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { revokeKey } from '../../server/auth/key-store.ts';
import type { Context } from '../context.ts';

/** Revokes an API key; a running service refuses it immediately. */
export async function run(context: Context): Promise<number> {
  const name = String(context.flags.name);
  await revokeKey(homeOf(context), name);
  context.log.info({ event: 'key_revoked', key: name }, `revoked key "${name}"`);
  return ExitCode.done;
}
