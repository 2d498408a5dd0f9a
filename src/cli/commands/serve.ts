import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RowcastError } from '../../errors.ts';
import { startService } from '../../service/server.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { homeOf } from '../service.ts';

/** Runs the prediction service until SIGINT or SIGTERM. */
export async function run({ flags, env, log }: Context): Promise<number> {
  const host = String(flags.host);
  const port = Number(flags.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new RowcastError('bad_option', `--port ${flags.port} is no port`, {
      hint: 'Give one of 0 to 65535.',
    });
  const home = homeOf(env);
  const service = await startService({
    home,
    host,
    port,
    key: env.ROWCAST_API_KEY || (await makeKey(home)),
    log,
  });
  log.info(`serving the reports in ${home} at ${service.url}`);
  const interrupted = new AbortController();
  await Promise.race([
    once(process, 'SIGINT', { signal: interrupted.signal }),
    once(process, 'SIGTERM', { signal: interrupted.signal }),
  ]);
  interrupted.abort();
  await service.close();
  return ExitCode.done;
}

/** A key for this run: shown only on a terminal, otherwise left in a file that only its owner can read. */
async function makeKey(home: string): Promise<string> {
  const key = randomBytes(24).toString('base64url');
  if (process.stderr.isTTY) {
    process.stderr.write(`rowcast: the key of this run, as ROWCAST_API_KEY was not set: ${key}\n`);
    return key;
  }
  const file = join(home, 'serve.key');
  await mkdir(home, { recursive: true, mode: 0o700 });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
  process.stderr.write(`rowcast: the key of this run, as ROWCAST_API_KEY was not set, is in ${file}\n`);
  return key;
}
