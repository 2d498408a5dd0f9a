import { type Auth, isOfCloud } from '../../base/contract/protocol-names.ts';
import { RowcastError } from '../../base/errors.ts';
import { sanitize } from '../../base/sanitize.ts';
import { headerFault, isHeaderValue } from '../../client/credentials.ts';
import { type ClientTls, checkTls } from '../../client/transport/tls.ts';
import { keyIn } from '../service/key-file.ts';

/** @throws RowcastError `no_key`, `bad_option` */
export function checkKey(key: unknown, auth: Auth | undefined): void {
  if (auth === 'none' || (auth !== undefined && isOfCloud(auth))) {
    if (key === undefined) return;
    throw new RowcastError(
      'bad_option',
      `a key is given, but with auth: '${auth}' requests are sent without one`,
    );
  }
  if (typeof key !== 'string' || keyIn(key) !== key)
    throw new RowcastError('no_key', 'the API key is empty, or has characters that a header cannot have');
}

/** Headers that a program adds, by name in lower case. @throws RowcastError `bad_option`, which shows no value */
export function checkedHeaders(
  headers: Readonly<Record<string, unknown>>,
  auth: Auth = 'apikey',
): Readonly<Record<string, string>> {
  checkMembers('headers', headers);
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name, auth);
    if (fault !== undefined) throw new RowcastError('bad_option', `headers: "${sanitize(name)}" ${fault}`);
    if (typeof value !== 'string' || !isHeaderValue(value))
      throw new RowcastError('bad_option', `headers: ${name} has a value that a header cannot have`);
    checked[name.toLowerCase()] = value;
  }
  return checked;
}

/** @throws RowcastError `bad_option`, `bad_certificate` */
export function checkClientTls(tls: ClientTls, { protocol }: URL): void {
  checkMembers('tls', tls);
  if (protocol === 'http:') throw new RowcastError('bad_option', 'tls: the URL of the service is not https');
  if ((tls.cert === undefined) !== (tls.key === undefined))
    throw new RowcastError('bad_option', 'tls: cert and key must be given together');
  checkTls(tls, { ca: 'tls.ca', cert: 'tls.cert', key: 'tls.key' });
}

/** JavaScript does not check that a member is an object. */
function checkMembers(name: string, given: unknown): void {
  if (typeof given === 'object' && given !== null) return;
  throw new RowcastError('bad_option', `${name}: expected an object`);
}
