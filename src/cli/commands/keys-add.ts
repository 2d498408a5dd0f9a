import { keyOptions } from '../../definition/options.ts';
import { resolveValues } from '../../definition/values.ts';
import { RowcastError } from '../../errors.ts';
import { addKey } from '../../service/keys.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { printText } from '../print.ts';
import { homeOf } from '../service.ts';

/** Makes a key of the service, and prints it alone on stdout. */
export async function run({ flags, env, log }: Context): Promise<number> {
  const { report: reports, all } = resolveValues(keyOptions, flags);
  // An empty variable of a script must not make a key for everything.
  if (reports?.length === 0)
    throw new RowcastError('usage', '--report: it is empty', { hint: 'Give an id, or --all.' });
  if (all && reports !== undefined)
    throw new RowcastError('usage', '--all and --report say two things', { hint: 'Give one of them.' });
  const name = String(flags.name);
  const key = await addKey(homeOf(env), name, reports === undefined ? 'all' : [...reports]);
  log.info(`this is the key "${name}"; it is kept nowhere and not shown again`);
  await printText(`${key}\n`);
  return ExitCode.done;
}
