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
  if (flags.json === true) {
    const listed: object[] = [];
    for (const { name, key } of keys) {
      const used = key && (await lastUseOf(home, name, key.created));
      listed.push({
        name,
        created: key?.created ?? null,
        last_used: used ?? null,
        expires: key?.expires ?? null,
        reports: key?.reports ?? null,
        scopes: key?.scopes ?? null,
        damaged: key === undefined,
      });
    }
    await printJson({ format: 1, keys: listed });
    return ExitCode.done;
  }
  if (keys.length === 0) return ExitCode.done;
  const rows: string[][] = [];
  for (const { name, key } of keys) {
    if (key === undefined) {
      rows.push([name, '(damaged)']);
      continue;
    }
    const used = await lastUseOf(home, name, key.created);
    const scopes = key.scopes.join(', ');
    rows.push([name, key.created, used ?? 'never', expiryOf(key), [key.reports].flat().join(', '), scopes]);
  }
  await printText(alignColumns([['KEY', 'CREATED', 'LAST USED', 'EXPIRES', 'REPORTS', 'SCOPES'], ...rows]));
  return ExitCode.done;
}

function expiryOf({ expires }: StoredKey): string {
  if (expires === undefined) return 'never';
  return Date.parse(expires) <= Date.now() ? `${expires} (expired)` : expires;
}
