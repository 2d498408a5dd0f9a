import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { RequestError } from '../problems/problems.ts';

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
  const check = hostCheck(bound);
  app.addHook('onRequest', async ({ raw }) => {
    const problem = check(raw);
    if (problem !== undefined) throw problem;
  });
}

/** The same for one request: what is wrong with its Host, if anything is. */
export function hostCheck(bound: string): (request: IncomingMessage) => RequestError | undefined {
  const names = isLoopback(bound) ? [...ownNames, bound.toLowerCase()] : undefined;
  return ({ headers, headersDistinct, httpVersion }) => {
    if ((headersDistinct.host?.length ?? 0) > 1)
      return new RequestError('malformed', 'The request has more than one Host.');
    const name = headers.host?.replace(/:\d*$/, '').toLowerCase();
    if (name === undefined && httpVersion !== '1.0')
      return new RequestError('malformed', 'The request has no Host.');
    if (name !== undefined && names?.includes(name) === false)
      return new RequestError('wrong_host', `This service answers at ${ownNames.join(', ')} only.`);
    return undefined;
  };
}
