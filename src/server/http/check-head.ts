import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { isLoopback } from '../../base/scheme.ts';
import { RequestError } from '../problems/problems.ts';

/** The most header lines of a request. Node would drop further ones silently, such as a second Host. */
const MAX_HEADERS = 2_000;

/**
 * What is wrong with the head of a request, apart from the host that it names. Servers that check heads need
 * `maxHeadersCount = 0`.
 */
export function headProblem({ rawHeaders, headers }: IncomingMessage): RequestError | undefined {
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return new RequestError(
      'headers_too_large',
      `The request has more than ${MAX_HEADERS.toLocaleString('en-US')} headers.`,
    );
  const coding = headers['transfer-encoding']?.trim().toLowerCase();
  if (coding === undefined || coding === 'chunked') return undefined;
  // Node accepts other codings before `chunked`, but does not decode them (RFC 9112 section 6.1).
  return new RequestError(
    'unsupported_transfer_encoding',
    'The only transfer encoding is chunked; compress a body with Content-Encoding: gzip.',
  );
}

/** The host names that a request to this machine may use, without the port. */
const ownNames = ['localhost', '127.0.0.1', '[::1]'];

/**
 * A service on loopback accepts only loopback host names. Otherwise a web page whose name was made to resolve to this
 * machine (DNS rebinding) could reach it through a browser. Other names are rejected with 403, as in Jupyter, Vite and
 * webpack-dev-server. An HTTP/1.0 request without Host does not come from a browser; a later version must have one (RFC
 * 9112 section 3.2).
 *
 * @param bound the address that the service listens on; unless it is loopback, all names are accepted
 */
export function checkHosts(app: FastifyInstance, bound: string): void {
  const check = hostCheck(bound);
  app.addHook('onRequest', ({ raw }, _, done) => done(headProblem(raw) ?? check(raw)));
}

/**
 * Makes the check of a request's host. @returns the problem with its Host header, or undefined if the host is allowed
 */
export function hostCheck(bound: string): (request: IncomingMessage) => RequestError | undefined {
  const names = isLoopback(bound) ? [...ownNames, bound.toLowerCase()] : undefined;
  return ({ headers, headersDistinct, httpVersion, url = '/' }) => {
    if ((headersDistinct.host?.length ?? 0) > 1)
      return new RequestError('malformed', 'The request has more than one Host header.');
    // A URL with a host takes precedence over Host (RFC 9112 section 3.2.2), so both must name the same one.
    if (!/^[/*]/.test(url) && hostOf(url) !== hostOf(`http://${headers.host}`))
      return new RequestError(
        'wrong_host',
        'The URL of the request names another host than its Host header.',
      );
    const name = headers.host?.replace(/:\d*$/, '').toLowerCase();
    if (name === undefined && httpVersion !== '1.0')
      return new RequestError('malformed', 'The request has no Host header.');
    if (name !== undefined && names?.includes(name) === false)
      return new RequestError('wrong_host', `This service accepts requests for ${ownNames.join(', ')} only.`);
    return undefined;
  };
}

/** The host and the port of a URL; undefined for what is no URL. */
const hostOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).host : undefined);
