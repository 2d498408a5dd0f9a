import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RowcastError } from '../../errors.ts';
import { makeFolder } from '../../service/home.ts';
import { startService } from '../../service/server.ts';
import { shown } from '../../shown.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { type Environment, homeOf } from '../service.ts';

/** Runs the prediction service until SIGINT or SIGTERM. */
export async function run({ flags, env, log }: Context): Promise<number> {
  const host = readHost(String(flags.host));
  const port = readPort(String(flags.port));
  const givenKey = readKey(env);
  const home = homeOf(env);
  const key = givenKey ?? randomBytes(24).toString('base64url');
  const service = await startService({ home, host, port, key, log });
  try {
    // Only now is the address ours: before, this could be the key file of a service that runs.
    if (givenKey === undefined) await handOver(key, home, new URL(service.url).port);
    log.info(`serving the reports in ${home} at ${service.url}`);
    const interrupted = new AbortController();
    await Promise.race([
      once(process, 'SIGINT', { signal: interrupted.signal }),
      once(process, 'SIGTERM', { signal: interrupted.signal }),
    ]);
    interrupted.abort();
  } finally {
    await service.close();
  }
  return ExitCode.done;
}

/** An empty host would listen on every interface, which nobody asked for. */
function readHost(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new RowcastError('bad_option', '--host: it is empty', {
    hint: 'Give an address to listen on, such as 127.0.0.1; 0.0.0.0 is all of them.',
  });
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new RowcastError('bad_option', `--port "${shown(text)}" is no port`, {
    hint: 'Give one of 0 to 65535.',
  });
}

/**
 * The environment's key, white space around it taken off as clients do; undefined where none is set.
 *
 * @throws RowcastError `no_key` for what no header can hold (RFC 9110 section 5.5), or for two words
 */
function readKey({ ROWCAST_API_KEY: text = '' }: Environment): string | undefined {
  if (text === '') return undefined;
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new RowcastError('no_key', 'ROWCAST_API_KEY is no key that a request can carry', {
    hint: 'Set it to one word of ASCII characters, or unset it to have a key made.',
  });
}

/**
 * Tells the key of this run: on a terminal, otherwise in a file that only its owner can read; one file a port,
 * since services on several may share a home.
 */
async function handOver(key: string, home: string, port: string): Promise<void> {
  if (process.stderr.isTTY) {
    process.stderr.write(`rowcast: the key of this run, as ROWCAST_API_KEY was not set: ${key}\n`);
    return;
  }
  const file = join(home, `serve-${port}.key`);
  const written = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await makeFolder(home);
    // A new file, since an old one keeps its mode when it is written to.
    await writeFile(written, `${key}\n`, { mode: 0o600, flag: 'wx' });
    await rename(written, file);
  } catch (cause) {
    await rm(written, { force: true }).catch(() => {}); // the failure that is told comes first
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowcastError('unwritable_home', `the key of this run cannot be written: ${reason}`, {
      place: { file },
      hint: 'Set ROWCAST_API_KEY, or ROWCAST_HOME to a folder that can be written.',
      cause,
    });
  }
  process.stderr.write(`rowcast: the key of this run, as ROWCAST_API_KEY was not set, is in ${file}\n`);
}
