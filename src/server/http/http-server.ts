import { createServer as createPlainServer, type Server, type ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { FastifyServerFactory } from 'fastify';
import type { Limits } from '../service-limits.ts';
import { Connections, type ConnectionsOptions } from './connections.ts';
import { secureOptions, type Tls } from './tls.ts';

/** Longer than most proxies keep idle connections (60 s), so that the proxy closes them first. */
const KEEP_ALIVE_MS = 72_000;
/** How often connections are checked for timeouts. */
const CHECK_MS = 1_000;

export interface ServerEvents {
  /** Called with the connections of the server, once it is created. */
  onConnections(connections: Connections): void;
  onClosing: ConnectionsOptions['onClosing'];
}

/**
 * Returns the function that creates the service's HTTP or HTTPS server.
 *
 * @throws RowcastError `bad_certificate`
 */
export function serverFactory(
  limits: Limits,
  tls: Tls | undefined,
  { onConnections, onClosing }: ServerEvents,
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
    const connections = new Connections(server, {
      isTls: tls !== undefined,
      limit: limits.connections,
      networkLimit: limits.connectionsPerAddress,
      onClosing,
    });
    onConnections(connections);
    return server;
  };
}
