import type { FastifyRequest } from 'fastify';
import type { PlatformContext } from '../context.ts';

/**
 * Where the browser reaches the service: the host that it asked for, which `checkHosts` has checked on loopback and which
 * elsewhere only the user chose. Behind a proxy both may differ; `copy.js` corrects them.
 */
export function originOf({ headers, socket }: FastifyRequest, { isEncrypted }: PlatformContext): string {
  const { host = '' } = headers;
  const isPlain = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host);
  return `${isEncrypted ? 'https' : 'http'}://${isPlain ? host : `localhost:${socket.localPort}`}`;
}
