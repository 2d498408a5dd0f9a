import { createServer as createPlainServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { FastifyServerFactory } from 'fastify';
import { RowcastError } from '../errors.ts';
import type { Limits } from './limits.ts';

/** A certificate chain and its key, as PEM. */
export interface Tls {
  cert: Buffer;
  key: Buffer;
}

/** Longer than proxies keep idle connections (60 s in most), so that it is they who close them. */
const KEEP_ALIVE_MS = 72_000;
/** How often late requests are looked for. */
const CHECK_MS = 1_000;

/**
 * How the service's server is made.
 *
 * @throws RowcastError `bad_certificate`
 */
export function serverFactory(limits: Limits, tls: Tls | undefined): FastifyServerFactory<Server> {
  return handler => {
    const options: ServerOptions = {
      headersTimeout: limits.headersMs,
      // A whole request may take long: a file is scored while it comes. Bodies of JSON have a deadline of their own.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(CHECK_MS, limits.headersMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Refused with the other hosts, in words.
      requireHostHeader: false,
    };
    const server = tls === undefined ? createPlainServer(options, handler) : tlsServer(options, tls, handler);
    // What a client expects beside 100-continue may be let be (RFC 9110 section 10.1.1).
    server.on('checkExpectation', handler);
    server.setTimeout(limits.idleMs);
    server.maxConnections = limits.connections;
    return server;
  };
}

function tlsServer(
  options: ServerOptions,
  tls: Tls,
  handler: Parameters<FastifyServerFactory<Server>>[0],
): Server {
  try {
    return createTlsServer({ ...options, ...tls, handshakeTimeout: options.headersTimeout }, handler);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RowcastError('bad_certificate', `the certificate and its key are of no use: ${reason}`, {
      hint: 'Both are PEM; the key must be the certificate’s, without a passphrase.',
      cause,
    });
  }
}
