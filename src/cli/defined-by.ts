import { definitionOption } from '../base/options/definition.ts';
import type { Options } from '../base/options/option.ts';
import { callOptions, reportOption } from '../base/options/service.ts';
import { resolveValues } from '../base/options/values/resolve-options.ts';
import { usageError } from './arguments/usage-error.ts';
import type { Context } from './context.ts';

/**
 * What the definition that --definition names has under `service` and `score`; nothing without one.
 *
 * @param options that the command takes from it
 * @throws RowcastError `no_such_file`, `bad_definition`, `untrusted_definition`
 */
export async function definedBy(
  { flags, env }: Pick<Context, 'flags' | 'env'>,
  options: Options,
): Promise<Readonly<Record<string, unknown>>> {
  const { definition: file } = resolveValues(definitionOption, flags);
  if (file === undefined) return {};
  // Loaded only when it is needed.
  const { loadTrusted } = await import('../library/definition/check-trust.ts');
  const { score } = await loadTrusted(file, { flags, env }, [], name => Object.hasOwn(options, name));
  return score;
}

/** What a definition says of the service that predicts. @throws as `definedBy` */
export const definedService = (context: Context): ReturnType<typeof definedBy> =>
  definedBy(context, { ...reportOption, ...callOptions });

/** The id of a report as an argument, else that of a definition. @throws RowcastError `usage` */
export function namedReport(
  command: string,
  { flags }: Pick<Context, 'flags'>,
  defined: Readonly<Record<string, unknown>>,
): string {
  const id = flags.id ?? defined.report;
  if (id === undefined) throw usageError('missing argument: ID', { name: command });
  return String(id);
}
