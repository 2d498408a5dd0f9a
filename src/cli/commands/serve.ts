import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { isLoopback, isUnspecified } from '../../base/contract/loopback.ts';
import { RowcastError } from '../../base/errors.ts';
import { serveOptions } from '../../base/options/serve.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import { commandOf } from '../../base/shell-word.ts';
import { homeOf } from '../../library/service/choose-service.ts';
import { homeFlag } from '../../models/store/report-version.ts';
import { ExitCode } from '../../runs/exit-code.ts';
import { listKeys } from '../../server/auth/key-store.ts';
import { startService } from '../../server/server.ts';
import { warmUp } from '../../server/warm-up.ts';
import type { Context } from '../context.ts';
import { announceKey } from '../serve/announce-key.ts';
import { announcePlatform } from '../serve/announce-platform.ts';
import { readHost, readPort } from '../serve/listen-address.ts';
import { readOwnKey } from '../serve/own-key.ts';
import { shutDown } from '../serve/shut-down.ts';
import { readTls, reloadFiles } from '../serve/tls-files.ts';
import { onSignals } from '../signals.ts';
import { warnOfHome } from '../warn-of-home.ts';

/** Runs the prediction service until SIGINT or SIGTERM. */
export async function run({ flags, env, log, logFormat }: Context): Promise<number> {
  const {
    host,
    port,
    adminPort,
    tlsCert,
    tlsKey,
    maxRequestsPerSecond,
    maxRowsPerSecond,
    threads,
    maxConnectionsPerAddress,
    spillBytes,
    maxSpillBytes,
    warmUp: warmUpSeconds,
    drainDelay,
    drainTimeout,
    web,
    open,
    dataBytes,
  } = resolveValues(serveOptions, flags);
  if (open && !web)
    throw new RowcastError('usage', '--open and --no-web exclude each other', {
      hint: 'Leave out --no-web to open the web platform, or --open to serve only the API.',
    });
  const home = homeOf({ flags, env });
  await warnOfHome({ log }, home);
  const options = {
    home,
    host: readHost(host),
    port: readPort('port', port),
    adminPort: adminPort === undefined ? undefined : readPort('admin-port', adminPort),
    tls: await readTls(tlsCert, tlsKey),
    maxRequestsPerSecond,
    maxRowsPerSecond,
    threads,
    limits: { connectionsPerAddress: maxConnectionsPerAddress, spillBytes, maxSpillBytes },
    storedKeys: true,
    metrics: true,
    log,
  };
  const given = readOwnKey(env, options.host);
  const keys = await listKeys(home);
  const made =
    given === undefined && keys.every(({ key }) => key === undefined)
      ? randomBytes(24).toString('base64url')
      : undefined;
  const ready = performance.now() + warmUpSeconds * 1000;
  const left = (): number => Math.max(0, ready - performance.now());
  // Without it the service is slower at first, and reports what is wrong with its files itself.
  if (left() > 0) await warmUp(home, left()).catch(() => {});
  // Imported only if used.
  const platform = web ? (await import('../../web/platform.ts')).openPlatform({ dataBytes }) : undefined;
  const service = await startService({
    ...options,
    key: given ?? made,
    extension: platform,
    preloadMs: left(),
  });
  // Before the URL is logged, so that a signal after that shuts down gracefully. SIGHUP reloads.
  const signals = onSignals({ signals: ['SIGINT', 'SIGTERM'] });
  const reload = (): Promise<void> => reloadFiles(service, { tlsCert, tlsKey }, log);
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
      forget = await announcePlatform(platform, {
        serviceUrl: openableUrl(service.url),
        home,
        open,
        log,
        logFormat,
      });
    if (!signals.first.aborted) await once(signals.first, 'abort');
    await shutDown(service, signals.first.reason, { drainDelay, drainTimeout, log });
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
