import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { serveOptions } from '../../definition/options.ts';
import { resolveValues } from '../../definition/values.ts';
import { RowcastError } from '../../errors.ts';
import { isLoopback } from '../../service/hosts.ts';
import type { Tls } from '../../service/http-server.ts';
import { listKeys } from '../../service/keys.ts';
import { startService } from '../../service/server.ts';
import { shown } from '../../shown.ts';
import type { Context } from '../context.ts';
import { ExitCode } from '../exit.ts';
import { tellKey } from '../key-file.ts';
import { type Environment, homeOf } from '../service.ts';
import { onSignals } from '../signals.ts';

/** Runs the prediction service until SIGINT or SIGTERM. */
export async function run({ flags, env, log, logFormat }: Context): Promise<number> {
  const { host, port, tlsCert, tlsKey, rateLimit, spillBytes } = resolveValues(serveOptions, flags);
  const home = homeOf(env);
  const options = {
    home,
    host: readHost(host),
    port: readPort(port),
    tls: await readTls(tlsCert, tlsKey),
    rateLimit,
    limits: { spillBytes },
    storedKeys: true,
    metrics: true,
    log,
  };
  const given = readKey(env);
  const keys = await listKeys(home);
  const made =
    given === undefined && keys.every(({ key }) => key === undefined)
      ? randomBytes(24).toString('base64url')
      : undefined;
  const service = await startService({ ...options, key: given ?? made });
  // From the first line on that says where it is, a signal closes it.
  const signals = onSignals(() => {});
  try {
    // Only now is the address ours: before, this could be the key file of a service that runs.
    if (made !== undefined) await tellKey(made, home, new URL(service.url).port, { log, logFormat });
    for (const { name, key } of keys)
      if (key === undefined)
        log.warn(`the key "${name}" is damaged and opens nothing; rowcast keys revoke ${name} takes it away`);
    if (options.tls === undefined && !isLoopback(options.host))
      log.warn(
        'keys and personas travel in the clear: give --tls-cert and --tls-key, or put a proxy before it',
      );
    log.info(`serving the reports in ${home} at ${service.url}`);
    if (!signals.first.aborted) await once(signals.first, 'abort');
  } finally {
    signals.end();
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

/** @throws RowcastError `usage`, `no_such_file` */
async function readTls(cert: string | undefined, key: string | undefined): Promise<Tls | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new RowcastError('usage', '--tls-cert and --tls-key are of use only together');
  return { cert: await readPem(cert), key: await readPem(key) };
}

async function readPem(file: string): Promise<Buffer> {
  return readFile(file).catch(cause => {
    throw new RowcastError('no_such_file', `it cannot be read: ${cause.message}`, { place: { file }, cause });
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
