import { homeOf } from '../../library/service/choose-service.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import type { StoredKey } from '../../server/auth/key-file.ts';
import { lastUseOf, listKeys } from '../../server/auth/key-store.ts';
import type { Context } from '../context.ts';
import { alignColumns, printJson, printText } from '../terminal/print.ts';

/** Lists the API keys by name, including damaged ones. Times of last use are exact to ten minutes. */
export async function run(context: Context): Promise<number> {
  const { flags, log } = context;
  const home = homeOf(context);
  const keys = await listKeys(home);
  if (keys.length === 0)
    log.info({ event: 'no_keys' }, `no keys in ${home}; create one with rowcast keys add`);
  const listed: object[] = [];
  const rows = [['KEY', 'CREATED', 'LAST USED', 'EXPIRES', 'REPORTS', 'SCOPES']];
  for (const { name, key } of keys) {
    const last_used = (key && (await lastUseOf(home, name, key.created))) ?? null;
    const { created = null, expires = null, reports = null, scopes = null } = key ?? {};
    listed.push({ name, created, last_used, expires, reports, scopes, damaged: key === undefined });
    if (key === undefined) rows.push([name, '(damaged)']);
    else {
      const texts = [key.reports, key.scopes].map(names => [names].flat().join(', '));
      rows.push([name, key.created, last_used ?? 'never', expiryOf(key), ...texts]);
    }
  }
  if (flags.json === true) await printJson({ format: 1, keys: listed });
  else if (keys.length > 0) await printText(alignColumns(rows));
  return ExitCode.done;
}

function expiryOf({ expires }: StoredKey): string {
  if (expires === undefined) return 'never';
  return Date.parse(expires) <= Date.now() ? `${expires} (expired)` : expires;
}
