import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { showDuration } from '../../definition/duration.ts';
import { serveOptions } from '../../definition/options.ts';
import { resolveValues } from '../../definition/values.ts';
import { RowcastError } from '../../errors.ts';
import { isLoopback } from '../../service/hosts.ts';
import { listKeys } from '../../service/keys.ts';
import { type Service, startService } from '../../service/server.ts';
import type { Tls } from '../../service/tls.ts';
import { shown } from '../../shown.ts';
import type { Context } from '../context.ts';
import { enforceDeadline } from '../deadline.ts';
import { ExitCode, failureFields, failureMessage } from '../exit.ts';
import { tellKey } from '../key-file.ts';
import { type Environment, homeOf } from '../service.ts';
import { type EndingSignal, onSignals } from '../signals.ts';

/**
 * The share of the drain timeout after which connections are cut off; the rest is for closing files and threads, so that
 * only what hangs meets the hard deadline.
 */
const CUT_AFTER = 0.9;

/** Runs the prediction service until SIGINT or SIGTERM. */
export async function run({ flags, env, log, logFormat }: Context): Promise<number> {
  const { host, port, adminPort, tlsCert, tlsKey, rateLimit, spillBytes, drainDelay, drainTimeout } =
    resolveValues(serveOptions, flags);
  const home = homeOf(env);
  const options = {
    home,
    host: readHost(host),
    port: readPort('port', port),
    adminPort: adminPort === undefined ? undefined : readPort('admin-port', adminPort),
    tls: await readTls(tlsCert, tlsKey),
    rateLimit,
    limits: { spillBytes },
    storedKeys: true,
    metrics: true,
    log,
  };
  const given = readKey(env, options.host);
  const keys = await listKeys(home);
  const made =
    given === undefined && keys.every(({ key }) => key === undefined)
      ? randomBytes(24).toString('base64url')
      : undefined;
  const service = await startService({ ...options, key: given ?? made });
  // From the first line on that says where it is, signals are handled.
  // SIGHUP reloads.
  const signals = onSignals({ signals: ['SIGINT', 'SIGTERM'] });
  const reload = (): Promise<void> => reloadFiles(service, { tlsCert, tlsKey }, log);
  process.on('SIGHUP', reload);
  try {
    // Only now is the address ours: before, this could be the key file of a service that runs.
    if (made !== undefined) await tellKey(made, home, new URL(service.url).port, { log, logFormat });
    for (const { name, key } of keys)
      if (key === undefined)
        log.warn(`the key "${name}" is damaged and opens nothing; rowcast keys revoke ${name} takes it away`);
      else if (!key.hasScopes)
        log.warn(
          `the key "${name}" was made before scopes and is good for every endpoint, testing results included`,
        );
    if (options.tls === undefined && !isLoopback(options.host))
      log.warn(
        'keys and personas travel unencrypted: give --tls-cert and --tls-key, or put a TLS proxy in front',
      );
    log.info(`serving the reports in ${home} at ${service.url}`);
    if (service.adminUrl !== undefined) log.info(`health and metrics at ${service.adminUrl}`);
    if (!signals.first.aborted) await once(signals.first, 'abort');
    await shutDown(service, signals.first.reason, { drainDelay, drainTimeout, log });
  } catch (error) {
    await service.close();
    throw error;
  } finally {
    signals.end();
    process.off('SIGHUP', reload);
  }
  return ExitCode.done;
}

interface Draining {
  /** In milliseconds. */
  drainDelay: number;
  drainTimeout: number;
  log: Logger;
}

/** Lets load balancers take the service out, finishes what was begun, and ends by the deadline whatever hangs. */
async function shutDown(
  service: Service,
  signal: EndingSignal,
  { drainDelay, drainTimeout, log }: Draining,
): Promise<void> {
  enforceDeadline(drainDelay + drainTimeout, signal);
  service.drain();
  const delay = drainDelay === 0 ? '' : `serving on for ${showDuration(drainDelay)}, then `;
  log.info(`${signal}: ${delay}finishing requests in flight, for at most ${showDuration(drainTimeout)}`);
  await sleep(drainDelay);
  const cut = await service.close(drainTimeout * CUT_AFTER);
  if (cut > 0)
    log.warn(`cut off ${cut} ${cut === 1 ? 'connection' : 'connections'} with unfinished requests`);
}

/** On SIGHUP: the certificate, its key and the stored keys as they are now. What cannot be read leaves the old ones. */
async function reloadFiles(
  service: Service,
  { tlsCert, tlsKey }: { tlsCert: string | undefined; tlsKey: string | undefined },
  log: Logger,
): Promise<void> {
  try {
    service.reload(await readTls(tlsCert, tlsKey));
    log.info(`SIGHUP: reloaded ${tlsCert === undefined ? 'keys' : 'keys and certificate'}`);
  } catch (error) {
    log.error(failureFields(error), `SIGHUP: the certificate was not replaced: ${failureMessage(error)}`);
  }
}

/** An empty host would listen on every interface, which nobody asked for. */
function readHost(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new RowcastError('bad_option', '--host: it is empty', {
    hint: 'Give an address to listen on, such as 127.0.0.1; 0.0.0.0 is all of them.',
  });
}

function readPort(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new RowcastError('bad_option', `--${option} "${shown(text)}" is not a port`, {
    hint: 'Give one of 0 to 65535.',
  });
}

/** @throws RowcastError `usage`, `no_such_file` */
async function readTls(cert: string | undefined, key: string | undefined): Promise<Tls | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new RowcastError('usage', '--tls-cert and --tls-key must be given together');
  return { cert: await readPem(cert), key: await readPem(key) };
}

async function readPem(file: string): Promise<Buffer> {
  return readFile(file).catch(cause => {
    throw new RowcastError('no_such_file', `it cannot be read: ${cause.message}`, { place: { file }, cause });
  });
}

/** Characters of a key that can be guessed at from elsewhere; 32 random ones of base64 are 192 bits. */
const MIN_KEY_LENGTH = 32;

/**
 * The environment's key, white space around it taken off as clients do; undefined where none is set.
 *
 * @param host where the service listens
 * @throws RowcastError `no_key` for what no header can hold (RFC 9110 section 5.5), or for two words; `short_key`
 */
function readKey({ ROWCAST_API_KEY: text = '' }: Environment, host: string): string | undefined {
  if (text === '') return undefined;
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) {
    if (key.length >= MIN_KEY_LENGTH || isLoopback(host)) return key;
    throw new RowcastError(
      'short_key',
      `ROWCAST_API_KEY has fewer than ${MIN_KEY_LENGTH} characters, too few for --host ${shown(host)}`,
      { hint: 'Set a long random one, such as that of: openssl rand -base64 32; or use rowcast keys add.' },
    );
  }
  throw new RowcastError('no_key', 'ROWCAST_API_KEY is no key that a request can carry', {
    hint: 'Set it to one word of ASCII characters, or unset it to have a key made.',
  });
}
