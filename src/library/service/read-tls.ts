import { readFile } from 'node:fs/promises';
import { RowcastError } from '../../base/errors.ts';
import { reasonOf } from '../../base/system-error.ts';
import { type ClientTls, checkTls } from '../../client/transport/tls.ts';
import type { TlsFiles } from './access.ts';

/** Reads and checks certificates and keys. @throws RowcastError `no_such_file`, `bad_certificate` */
export async function readClientTls({ ca, client }: TlsFiles): Promise<ClientTls> {
  const { cert, key } = client ?? {};
  const read = async (file: string | undefined) => (file === undefined ? undefined : readPem(file));
  const tls = { ca: await read(ca), cert: await read(cert), key: await read(key) };
  checkTls(tls, { ca: ca ?? '', cert: cert ?? '', key: key ?? '' });
  return tls;
}

/** @throws RowcastError `no_such_file` */
export const readPem = (file: string): Promise<Buffer> =>
  readFile(file).catch(cause => {
    throw new RowcastError('no_such_file', `cannot be read: ${reasonOf(cause)}`, {
      location: { file },
      cause,
    });
  });
