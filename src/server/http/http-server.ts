import { createServer as createPlainServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { FastifyServerFactory } from 'fastify';
import { RowcastError } from '../../base/errors.ts';
import type { Limits } from '../service-limits.ts';
import { ServerConnections, type ServerConnectionsOptions } from './connections.ts';

/** Longer than most proxies keep idle connections (60 s), so that the proxy closes them first. */
const KEEP_ALIVE_MS = 72_000;
/** How often connections are checked for timeouts. */
const CHECK_MS = 1_000;

/**
 * Returns the function that creates the service's HTTP or HTTPS server.
 *
 * @param onConnections called with the connections of the server, once it is created
 * @throws RowcastError `bad_certificate`
 */
export function serverFactory(
  limits: Limits,
  tls: Tls | undefined,
  onClosing: ServerConnectionsOptions['onClosing'],
  onConnections: (connections: ServerConnections) => void,
): FastifyServerFactory<Server> {
  return handle => {
    const handler: typeof handle = (request, response) =>
      connections.serve(request, response, () => handle(request, response));
    const options: ServerOptions = {
      headersTimeout: limits.headersMs,
      // No overall request timeout: uploads are scored while streaming. JSON bodies have their own (limits.bodyMs).
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(CHECK_MS, limits.headersMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Rejected in checkHosts instead, with a problem document.
      requireHostHeader: false,
    };
    const server =
      tls === undefined
        ? createPlainServer(options, handler)
        : createTlsServer({ ...options, ...secureOptions(tls), handshakeTimeout: limits.headersMs }, handler);
    // Expectations other than 100-continue may be ignored (RFC 9110 section 10.1.1).
    server.on('checkExpectation', handler);
    server.setTimeout(limits.idleMs);
    // `headProblem` counts them.
    server.maxHeadersCount = 0;
    const connections = new ServerConnections(server, {
      isTls: tls !== undefined,
      limit: limits.connections,
      networkLimit: limits.connectionsPerAddress,
      onClosing,
    });
    onConnections(connections);
    return server;
  };
}

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
function secureOptions({ cert, key }: Tls): SecureContextOptions {
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
export function replaceCertificate(server: TlsServer, tls: Tls): void {
  server.setSecureContext(secureOptions(tls));
}
