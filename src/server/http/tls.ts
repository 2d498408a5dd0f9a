import type { Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { RowcastError } from '../../base/errors.ts';

/** A certificate chain and its key, as PEM. */
export interface Tls {
  cert: Buffer;
  key: Buffer;
}

/**
 * TLS 1.3's suites, and those of TLS 1.2 with forward secrecy and authenticated encryption: Mozilla's intermediate
 * configuration (version 5.7) without DHE. This excludes CBC and RSA key exchange.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/**
 * The TLS options of the server.
 *
 * @throws RowcastError `bad_certificate`
 */
export function secureOptions({ cert, key }: Tls): SecureContextOptions {
  const options: SecureContextOptions = { cert, key, ciphers: CIPHERS, minVersion: 'TLSv1.2' };
  try {
    createSecureContext(options);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowcastError('bad_certificate', `cannot load the TLS certificate and its key: ${reason}`, {
      hint: 'Both must be PEM, and the key must belong to the certificate and have no passphrase.',
      cause,
    });
  }
  return options;
}

/**
 * Replaces the certificate of a running server, for new connections. If the new one is invalid, the old one is kept.
 *
 * @throws as `secureOptions`
 */
export function replaceCertificate(server: Server, tls: Tls): void {
  server.setSecureContext(secureOptions(tls));
}
