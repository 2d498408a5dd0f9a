import { keyOptions } from '../../config/options/keys.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import { RowcastError } from '../../errors.ts';
import { ExitCode } from '../../library/run/exit-code.ts';
import { homeOf } from '../../library/service/choose-service.ts';
import { sanitize } from '../../sanitize.ts';
import { addKey } from '../../server/auth/key-store.ts';
import { type Scope, scopes } from '../../server/auth/scopes.ts';
import type { Context } from '../context.ts';
import { printText } from '../terminal/print.ts';

/** Creates an API key and prints it, and nothing else, to stdout. */
export async function run({ flags, env, log }: Context): Promise<number> {
  const { report: reports, all, scope, expires } = resolveValues(keyOptions, flags);
  // An empty variable in a script must not create a key for all reports.
  if (reports?.length === 0)
    throw new RowcastError('usage', '--report is empty', {
      hint: 'Give an id, or leave it out for all reports.',
    });
  if (all && reports !== undefined)
    throw new RowcastError('usage', '--all and --report are mutually exclusive', {
      hint: 'Give one of them.',
    });
  const name = String(flags.name);
  const key = await addKey(homeOf({ flags, env }), name, {
    reports: reports ?? 'all',
    scopes: readScopes(scope),
    expires: expires === undefined ? undefined : new Date(Date.now() + expires * 1000),
  });
  log.info(
    { event: 'key_created', key: name },
    `created key "${name}"; only its hash is stored, so copy it now`,
  );
  await printText(`${key}\n`);
  return ExitCode.done;
}

function readScopes(names: readonly string[]): Scope[] {
  const found = scopes.filter(scope => names.includes(scope));
  const unknown = names.find(name => !found.some(scope => scope === name));
  if (unknown === undefined && found.length > 0) return found;
  throw new RowcastError(
    'bad_option',
    `--scope${unknown === undefined ? ' is empty' : `: unknown scope "${sanitize(unknown)}"`}`,
    {
      hint: `Scopes are ${scopes.join(', ')}.`,
    },
  );
}
