import { definitionOption } from '../base/options/definition.ts';
import type { Options } from '../base/options/option.ts';
import { resolveValues } from '../base/options/values/resolve-options.ts';
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
