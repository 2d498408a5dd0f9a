import type { FastifyInstance } from 'fastify';
import { RequestError } from './problems.ts';

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/i;

/** Whether an address to listen on is reached from this machine alone. */
export const isLoopback = (address: string): boolean => loopback.test(address);

/** What a request to this machine may call it, before any port. */
const ownNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A service on loopback answers only to loopback's names: a page whose name was made to point here (DNS
 * rebinding) would reach it through a browser otherwise. Refused with 403, as by Jupyter, Vite and webpack's
 * server. A request of HTTP/1.0 without a Host is from no browser; a later one is malformed (RFC 9112 section 3.2).
 *
 * @param bound where the service listens; anywhere but on loopback all names are let in
 */
export function checkHosts(app: FastifyInstance, bound: string): void {
  const names = isLoopback(bound) ? [...ownNames, bound.toLowerCase()] : undefined;
  app.addHook('onRequest', async ({ headers, raw }) => {
    if ((raw.headersDistinct.host?.length ?? 0) > 1)
      throw new RequestError('malformed', 'The request has more than one Host.');
    const name = headers.host?.replace(/:\d*$/, '').toLowerCase();
    if (name === undefined && raw.httpVersion !== '1.0')
      throw new RequestError('malformed', 'The request has no Host.');
    if (name !== undefined && names?.includes(name) === false) {
      throw new RequestError('wrong_host', `This service answers at ${ownNames.join(', ')} only.`);
    }
  });
}
