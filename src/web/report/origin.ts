import type { FastifyRequest } from 'fastify';
import type { PlatformContext } from '../context.ts';

/**
 * Where the browser reaches the service: the host that it asked for, which `checkHosts` has checked on loopback and which
 * elsewhere only the user chose. Behind a proxy the scheme may differ; the module of the page corrects it.
 */
export function originOf({ headers, socket }: FastifyRequest, { isEncrypted }: PlatformContext): string {
  const { host = '' } = headers;
  const isPlain = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host);
  return `${isEncrypted ? 'https' : 'http'}://${isPlain ? host : `localhost:${socket.localPort}`}`;
}
