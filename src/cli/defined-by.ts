import { definitionOption } from '../base/options/definition.ts';
import { resolveValues } from '../base/options/values/resolve-options.ts';
import type { Context } from './context.ts';

/**
 * What the definition that --definition names has under `service` and `score`; nothing without one.
 *
 * @throws RowcastError `no_such_file`, `bad_definition`
 */
export async function definedBy({ flags, env }: Context): Promise<Readonly<Record<string, unknown>>> {
  const { definition: file } = resolveValues(definitionOption, flags);
  if (file === undefined) return {};
  // Loaded only when it is needed.
  const { loadDefinition } = await import('../library/definition/definition.ts');
  const { score } = await loadDefinition(file, { env });
  return score;
}
