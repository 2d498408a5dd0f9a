import { endOptions } from '../../base/options/observability.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import type { Context } from '../context.ts';

/**
 * Executes a command, then tells those whom its options name how it has ended. What fails in that is a warning: the
 * result of the command stays.
 *
 * @throws RowcastError `usage` for options that are wrong themselves; what the command throws
 */
export async function tellingEnd(
  command: string,
  context: Context,
  execute: (context: Context) => Promise<number>,
): Promise<number> {
  const { notifyEnv, onEnd } = resolveValues(endOptions, context.flags, context.defined);
  if (notifyEnv === undefined && onEnd === undefined) return execute(context);
  // Loaded only when it is needed.
  const { executeAndTell } = await import('./tell-end.ts');
  return executeAndTell({ command, context, notifyEnv, onEnd }, execute);
}
