import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { RowcastError } from '../../base/errors.ts';

/** What connections to a service are secured with, as PEM. */
export interface ClientTls {
  /** The only authorities that may have issued the certificate of the service; by default, those that Node knows. */
  ca?: string | Buffer | undefined;
  /** The certificate that shows the service who asks, with its chain, and its private key. */
  cert?: string | Buffer | undefined;
  key?: string | Buffer | undefined;
}

/** Where the parts come from, for messages. */
export type TlsSources = Readonly<Record<keyof ClientTls, string>>;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Checks everything that can be checked without a connection. @throws RowcastError `bad_certificate` */
export function checkTls({ ca, cert, key }: ClientTls, from: TlsSources): void {
  if (ca !== undefined) certificatesIn(ca, from.ca);
  if (cert === undefined || key === undefined) return;
  const [own] = certificatesIn(cert, from.cert);
  if (own?.checkPrivateKey(privateKeyIn(key, from.key)) !== true)
    throw badCertificate(
      `the private key in ${from.key} does not belong to the first certificate in ${from.cert}`,
      'Put the own certificate first, and its chain after it.',
    );
  try {
    createSecureContext({ cert, key, ca });
  } catch (cause) {
    const { message } = cause as Error; // of OpenSSL
    throw badCertificate(`the certificate in ${from.cert} cannot be used: ${message}`, 'Renew it.', cause);
  }
}

function certificatesIn(pem: string | Buffer, from: string): X509Certificate[] {
  const found = String(pem).match(CERTIFICATE) ?? [];
  try {
    if (found.length > 0) return found.map(text => new X509Certificate(text));
  } catch (cause) {
    throw badCertificate(`a certificate in ${from} is damaged`, PEM, cause);
  }
  throw badCertificate(`there is no certificate in ${from}`, PEM);
}

const PEM = 'It must be PEM: text with -----BEGIN CERTIFICATE-----.';

function privateKeyIn(pem: string | Buffer, from: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    throw badCertificate(
      `there is no usable private key in ${from}`,
      'It must be PEM, and have no passphrase.',
      cause,
    );
  }
}

const badCertificate = (message: string, hint: string, cause?: unknown): RowcastError =>
  new RowcastError('bad_certificate', message, { hint, cause });
