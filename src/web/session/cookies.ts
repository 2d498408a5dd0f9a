import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../../base/scheme.ts';
import type { Shared } from '../../server/service.ts';
import { boundId } from './sessions.ts';

type Where = Pick<Shared, 'host' | 'isEncrypted'>;
type Kind = 'session' | 'form';

/**
 * The name of a cookie. Where the connection is encrypted, the prefix has browsers refuse it from other hosts and over
 * plain http (RFC 6265bis section 4.1.3). On loopback it contains the port instead, because services of one host share
 * their cookies.
 */
function nameOf(kind: Kind, request: FastifyRequest, where: Where): string {
  return isSecure(request, where) ? `__Host-rowcast-${kind}` : `rowcast-${kind}-${request.socket.localPort}`;
}

/** Behind a proxy on this machine, the service itself may listen on loopback without TLS. */
const isSecure = ({ headers }: FastifyRequest, { host, isEncrypted }: Where): boolean =>
  isEncrypted || !isLoopback(host) || headers['x-forwarded-proto'] === 'https';

/** Until the browser closes, or the service ends the session. */
const optionsOf = (request: FastifyRequest, where: Where) =>
  ({ httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure(request, where) }) as const;

/**
 * What the cookies say about the session of a request: its id, and the token of the sign-in form that it began with. A
 * server on another port of this host can set a cookie with the id of a session of its own, but the session does not go
 * with the token that this browser has.
 */
export function readSession(request: FastifyRequest, where: Where): string | undefined {
  const id = readCookie('session', request, where);
  return id === undefined ? undefined : boundId(id, readCookie('form', request, where) ?? '');
}

export const readCookie = (kind: Kind, request: FastifyRequest, where: Where): string | undefined =>
  request.cookies[nameOf(kind, request, where)];

/** @param value removes the cookie if undefined */
export const setCookie = (
  kind: Kind,
  value: string | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  where: Where,
): FastifyReply => {
  const [name, options] = [nameOf(kind, request, where), optionsOf(request, where)];
  return value === undefined ? reply.clearCookie(name, options) : reply.setCookie(name, value, options);
};
