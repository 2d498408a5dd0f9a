import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import type { Tls } from '../../server/http/http-server.ts';
import type { Service } from '../../server/service.ts';
import { failureFields, failureMessage } from '../exit-codes.ts';

/** @throws RowcastError `usage`, `no_such_file` */
export async function readTls(cert: string | undefined, key: string | undefined): Promise<Tls | undefined> {
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined || key === undefined)
    throw new RowcastError('usage', '--tls-cert and --tls-key must be given together');
  return { cert: await readPem(cert), key: await readPem(key) };
}

/** On SIGHUP, reloads certificate, private key and API keys. If a file cannot be read, the old ones stay in use. */
export async function reloadFiles(
  service: Service,
  { tlsCert, tlsKey }: { tlsCert: string | undefined; tlsKey: string | undefined },
  log: Logger,
): Promise<void> {
  try {
    service.reload(await readTls(tlsCert, tlsKey));
    log.info(
      { event: 'reloaded' },
      `SIGHUP: reloaded ${tlsCert === undefined ? 'keys' : 'keys and certificate'}`,
    );
  } catch (error) {
    log.error(
      { event: 'reload_failed', ...failureFields(error) },
      `SIGHUP: the certificate was not replaced: ${failureMessage(error)}`,
    );
  }
}

async function readPem(file: string): Promise<Buffer> {
  return readFile(file).catch(cause => {
    throw new RowcastError('no_such_file', `cannot be read: ${reasonOf(cause)}`, {
      location: { file },
      cause,
    });
  });
}
