import { listKeys } from '../../service/keys.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { alignColumns, printText } from '../print.ts';
import { homeOf } from '../service.ts';

/** Lists the service's keys by name, damaged ones among them. */
export async function run({ env, log }: Context): Promise<number> {
  const home = homeOf(env);
  const keys = await listKeys(home);
  if (keys.length === 0) {
    log.info(`no keys in ${home}; rowcast keys add makes one`);
    return ExitCode.done;
  }
  const rows = keys.map(({ name, key }) =>
    key === undefined ? [name, '(damaged)'] : [name, key.created, [key.reports].flat().join(', ')],
  );
  await printText(alignColumns([['KEY', 'CREATED', 'REPORTS'], ...rows]));
  return ExitCode.done;
}
