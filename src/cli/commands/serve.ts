import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { RowcastError } from '../../base/errors.ts';
import { serveOptions } from '../../base/options/serve.ts';
import { resolveValues, type Values } from '../../base/options/values/resolve-options.ts';
import { sanitize } from '../../base/sanitize.ts';
import { isLoopback, isUnspecified } from '../../base/scheme.ts';
import { commandOf } from '../../base/shell-word.ts';
import { type Environment, homeOf } from '../../library/service/choose-service.ts';
import { readPem } from '../../library/service/read-tls.ts';
import { homeFlag } from '../../models/store/report-version.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { listKeys } from '../../server/auth/key-store.ts';
import type { Tls } from '../../server/http/http-server.ts';
import { startServer } from '../../server/server.ts';
import type { RunningService } from '../../server/service.ts';
import { warmUp } from '../../server/warm-up.ts';
import { warnOfHome } from '../check-surroundings.ts';
import type { Context } from '../context.ts';
import { failureFields, failureMessage } from '../failure-text.ts';
import { announceKey, announcePlatform } from '../serve/announce-platform.ts';
import { shutDown } from '../serve/shut-down.ts';
import { onSignals } from '../signals.ts';

/** Runs the prediction service until SIGINT or SIGTERM. */
export async function run({ flags, env, log, logFormat }: Context): Promise<number> {
  const values = resolveValues(serveOptions, flags);
  const { port, adminPort, web, open, dataBytes, spillBytes, maxSpillBytes } = values;
  if (open && !web)
    throw new RowcastError('usage', '--open and --no-web exclude each other', {
      hint: 'Leave out --no-web to open the web platform, or --open to serve only the API.',
    });
  const home = homeOf({ flags, env });
  await warnOfHome({ log }, home);
  const options = {
    ...values,
    home,
    log,
    storedKeys: true,
    metrics: true,
    host: readHost(values.host),
    port: readPort('port', port),
    adminPort: adminPort === undefined ? undefined : readPort('admin-port', adminPort),
    tls: await readTls(values),
    limits: { connectionsPerAddress: values.maxConnectionsPerAddress, spillBytes, maxSpillBytes },
  };
  const given = readOwnKey(env, options.host);
  const keys = await listKeys(home);
  const made =
    given === undefined && keys.every(({ key }) => key === undefined)
      ? randomBytes(24).toString('base64url')
      : undefined;
  const ready = performance.now() + values.warmUp * 1000;
  const left = (): number => Math.max(0, ready - performance.now());
  // Without it the service is slower at first, and reports what is wrong with its files itself.
  if (left() > 0) await warmUp(home, left()).catch(() => {});
  // Imported only if used.
  const platform = web ? (await import('../../web/platform.ts')).openPlatform({ dataBytes }) : undefined;
  const service = await startServer({
    ...options,
    key: given ?? made,
    extension: platform,
    preloadMs: left(),
  });
  // Before the URL is logged, so that a signal after that shuts down gracefully. SIGHUP reloads.
  const signals = onSignals({ signals: ['SIGINT', 'SIGTERM'] });
  const reload = (): Promise<void> => reloadFiles(service, values, log);
  process.on('SIGHUP', reload);
  let forget = (): void => {};
  try {
    // Only when the port is ours: before, this could be the key file of another service.
    if (made !== undefined) await announceKey(made, home, new URL(service.url).port, { log, logFormat });
    for (const { name, key } of keys)
      if (key === undefined)
        log.warn(
          { event: 'key_damaged', key: name },
          `the key "${name}" is damaged and is not accepted; remove it with: ${commandOf('keys', ['revoke', name, ...homeFlag(home)])}`,
        );
    if (options.tls === undefined && !isLoopback(options.host))
      log.warn(
        { event: 'unencrypted' },
        `keys and personas are sent unencrypted${web ? ', and browsers on other machines cannot sign in to the web platform' : ''}: use --tls-cert and --tls-key, or a TLS proxy in front of the service`,
      );
    log.info({ event: 'serving', url: service.url }, `serving the reports in ${home} at ${service.url}`);
    if (service.adminUrl !== undefined)
      log.info(
        { event: 'admin_serving', url: service.adminUrl },
        `health and metrics at ${service.adminUrl}`,
      );
    if (platform !== undefined)
      forget = await announcePlatform(platform, openableUrl(service.url), home, open, { log, logFormat });
    if (!signals.first.aborted) await once(signals.first, 'abort');
    await shutDown(service, signals.first.reason, { ...values, log });
  } catch (error) {
    await service.close();
    throw error;
  } finally {
    forget();
    signals.end();
    process.off('SIGHUP', reload);
  }
  return ExitCode.done;
}

/** A URL that a browser on this machine can open, also if the service listens on all addresses. */
function openableUrl(url: string): string {
  const { protocol, hostname, port } = new URL(url);
  return isUnspecified(hostname) ? `${protocol}//localhost:${port}` : url;
}

/** An empty host is refused, because it would listen on every interface. */
export function readHost(text: string): string {
  if (text.trim() !== '') return text.trim();
  throw new RowcastError('bad_option', '--host is empty', {
    hint: 'Give an address to listen on, such as 127.0.0.1, or 0.0.0.0 for all interfaces.',
  });
}

export function readPort(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new RowcastError('bad_option', `--${option} "${sanitize(text)}" is not a port`, {
    hint: 'Give a number from 0 to 65535.',
  });
}

/** Minimum length of a key that other hosts could try to guess: 32 random base64 characters are 192 bits. */
const MIN_KEY_LENGTH = 32;

/**
 * Reads the key from the environment, without surrounding white space, which clients remove too; undefined if not set.
 *
 * @param host where the service listens
 * @throws RowcastError `no_key` if a header cannot contain it (RFC 9110 section 5.5) or it has spaces; `short_key`
 */
export function readOwnKey({ ROWCAST_API_KEY: text = '' }: Environment, host: string): string | undefined {
  if (text === '') return undefined;
  const key = text.trim();
  if (/^[\x21-\x7e]+$/.test(key)) {
    if (key.length >= MIN_KEY_LENGTH || isLoopback(host)) return key;
    throw new RowcastError(
      'short_key',
      `ROWCAST_API_KEY has fewer than ${MIN_KEY_LENGTH} characters, which is too short for --host ${sanitize(host)}`,
      { hint: 'Set a long random key, for example from openssl rand -base64 32, or use rowcast keys add.' },
    );
  }
  throw new RowcastError('no_key', 'ROWCAST_API_KEY contains characters that are not allowed in an API key', {
    hint: 'Use printable ASCII without spaces, or unset it to have a key generated.',
  });
}

type TlsPaths = Pick<Values<typeof serveOptions>, 'tlsCert' | 'tlsKey'>;

/** @throws RowcastError `usage`, `no_such_file` */
export async function readTls({ tlsCert: cert, tlsKey: key }: TlsPaths): Promise<Tls | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new RowcastError('usage', '--tls-cert and --tls-key must be given together');
  return { cert: await readPem(cert), key: await readPem(key) };
}

/** On SIGHUP, reloads certificate, private key and API keys. If a file cannot be read, the old ones stay in use. */
export async function reloadFiles(service: RunningService, tls: TlsPaths, log: Logger): Promise<void> {
  try {
    service.reload(await readTls(tls));
    const what = tls.tlsCert === undefined ? 'keys' : 'keys and certificate';
    log.info({ event: 'reloaded' }, `SIGHUP: reloaded ${what}`);
  } catch (error) {
    log.error(
      { event: 'reload_failed', ...failureFields(error) },
      `SIGHUP: the certificate was not replaced: ${failureMessage(error)}`,
    );
  }
}
