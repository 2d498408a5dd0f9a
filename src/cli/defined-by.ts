import { definitionOption } from '../base/options/service.ts';
import { resolveValues } from '../base/options/values/resolve-options.ts';
import type { Context } from './context.ts';

/** The keys of `service` and `score` in the definition that --definition names; none without one. @throws RowcastError */
export async function definedBy({ flags, env }: Context): Promise<Readonly<Record<string, unknown>>> {
  const { definition: file } = resolveValues(definitionOption, flags);
  if (file === undefined) return {};
  // Loaded only when it is needed.
  const { loadDefinition } = await import('../library/definition/definition.ts');
  const { score } = await loadDefinition(file, { env });
  return score;
}
