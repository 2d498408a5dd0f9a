import { reportId } from '../../base/contract/schemas.ts';
import { RowcastError } from '../../base/errors.ts';
import { keyOptions } from '../../base/options/serve.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { sanitize } from '../../base/sanitize.ts';
import { homeOf } from '../../library/service/choose-service.ts';
import { hasReport } from '../../models/store/report-store.ts';
import { absentReport } from '../../models/store/report-version.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { type Scope, scopes } from '../../server/auth/key-file.ts';
import { addKey } from '../../server/auth/key-store.ts';
import { warnOfHome } from '../check-surroundings.ts';
import type { Context } from '../context.ts';
import { printText } from '../terminal/print.ts';

/** Creates an API key and prints it, and nothing else, to stdout. */
export async function run(context: Context): Promise<number> {
  const { flags, log } = context;
  const { report: reports, scope, expires } = resolveValues(keyOptions, flags);
  // An empty variable in a script must not create a key for all reports.
  if (reports?.length === 0)
    throw new RowcastError('usage', '--report is empty', {
      hint: 'Give an id, or leave it out for all reports.',
    });
  const home = homeOf(context);
  // A wrong id would only be noticed by whoever uses the key.
  const ids = reports ?? [];
  if (ids.every(id => reportId.safeParse(id).success))
    for (const id of ids) if (!(await hasReport(home, id))) throw await absentReport(home, id, undefined);
  await warnOfHome(context, home);
  const name = String(flags.name);
  const key = await addKey(home, name, {
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
