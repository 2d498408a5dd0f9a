import { absolutePath } from '../../base/scheme.ts';
import { readVersion } from '../../base/version.ts';
import { redacted } from '../../client/base-url.ts';
import type { RunNames } from '../../runs/summary/summary.ts';
import type { Context } from '../context.ts';

/** The names of a run whose options may be wrong: without those that are not known. */
export function namesOfRefused(
  { flags }: Pick<Context, 'flags'>,
  defined: Readonly<Record<string, unknown>>,
): RunNames {
  const given = (name: string): string[] => [flags[name] ?? defined[name] ?? []].flat().map(String);
  const shown = (name: string, pipe: string): string =>
    name === '-' ? pipe : /^https?:/i.test(name) ? redacted(name) : absolutePath(name);
  const variable = given('input-env').map(name => `the URL in ${name}`);
  const inputs = given('input').map(name => shown(name, 'stdin'));
  return {
    version: readVersion(),
    input: (inputs.length > 0 ? inputs : variable).join(', '),
    output: given('output')
      .map(name => shown(name, 'stdout'))
      .join(),
    rejects: null,
    hasNamedRejects: false,
    report: given('report')[0] ?? null,
    options: {},
  };
}
