import { definitionOption } from '../base/options/definition.ts';
import type { Options } from '../base/options/option.ts';
import { callOptions, reportOption } from '../base/options/service.ts';
import { resolveValues } from '../base/options/values/resolve-options.ts';
import { usageError } from './arguments/usage-error.ts';
import type { Context } from './context.ts';

/**
 * A command with what the definition that --definition names has under `service` and `score`, if it names one.
 *
 * @param options that the command takes from it
 * @throws RowcastError `no_such_file`, `bad_definition`, `untrusted_definition`
 */
export async function definedBy(context: Context, options: Options): Promise<Context> {
  const { definition: file } = resolveValues(definitionOption, context.flags);
  if (file === undefined) return context;
  // Loaded only when it is needed.
  const { loadTrusted } = await import('../library/definition/check-trust.ts');
  const { score } = await loadTrusted(file, context, [], name => Object.hasOwn(options, name));
  return { ...context, defined: score };
}

/** A command with what its definition says of the service that predicts. @throws as `definedBy` */
export const definedService = (context: Context): Promise<Context> =>
  definedBy(context, { ...reportOption, ...callOptions });

/** The id of a report as an argument, else that of a definition. @throws RowcastError `usage` */
export function namedReport(command: string, { flags, defined }: Context): string {
  const id = flags.id ?? defined.report;
  if (id === undefined) throw usageError('missing argument: ID', { name: command });
  return String(id);
}
