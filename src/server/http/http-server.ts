import { createServer as createPlainServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { FastifyServerFactory } from 'fastify';
import { Connections, type ConnectionsOptions } from './connections.ts';
import type { Limits } from './limits.ts';
import { secureOptions, type Tls } from './tls.ts';

/** Longer than proxies keep idle connections (60 s in most), so that it is they who close them. */
const KEEP_ALIVE_MS = 72_000;
/** How often late requests are looked for. */
const CHECK_MS = 1_000;

export interface ServerEvents {
  /** Called with the connections of the server, once it is made. */
  onConnections(connections: Connections): void;
  onClosing: ConnectionsOptions['onClosing'];
}

/**
 * How the service's server is made.
 *
 * @throws RowcastError `bad_certificate`
 */
export function serverFactory(
  limits: Limits,
  tls: Tls | undefined,
  { onConnections, onClosing }: ServerEvents,
): FastifyServerFactory<Server> {
  return handle => {
    const handler: typeof handle = (request, response) => {
      connections.began(request, response);
      handle(request, response);
    };
    const options: ServerOptions = {
      headersTimeout: limits.headersMs,
      // A whole request may take long: a file is scored while it comes. Bodies of JSON have a deadline of their own.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(CHECK_MS, limits.headersMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Refused with the other hosts, in words.
      requireHostHeader: false,
    };
    const server =
      tls === undefined
        ? createPlainServer(options, handler)
        : createTlsServer({ ...options, ...secureOptions(tls), handshakeTimeout: limits.headersMs }, handler);
    // What a client expects beside 100-continue may be let be (RFC 9110 section 10.1.1).
    server.on('checkExpectation', handler);
    server.setTimeout(limits.idleMs);
    const connections = new Connections(server, {
      isTls: tls !== undefined,
      limit: limits.connections,
      onClosing,
    });
    onConnections(connections);
    return server;
  };
}
