import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLoopback } from '../../contract/loopback.ts';
import type { Shared } from '../../server/service.ts';

type Where = Pick<Shared, 'host' | 'isEncrypted'>;

/**
 * The name of a cookie. On loopback it contains the port, because services of one host share their cookies. Elsewhere the
 * prefix has browsers refuse it from other hosts and over plain http (RFC 6265bis section 4.1.3).
 */
function nameOf(kind: 'session' | 'form', request: FastifyRequest, where: Where): string {
  return isAlwaysSecure(where) ? `__Host-rowcast-${kind}` : `rowcast-${kind}-${request.socket.localPort}`;
}

const isAlwaysSecure = ({ host, isEncrypted }: Where): boolean => isEncrypted || !isLoopback(host);

/** Until the browser closes, or the service ends the session. */
function optionsOf(request: FastifyRequest, where: Where) {
  // Behind a proxy on this machine, the service itself may listen on loopback without TLS.
  const secure = isAlwaysSecure(where) || request.headers['x-forwarded-proto'] === 'https';
  return { httpOnly: true, sameSite: 'strict', path: '/', secure } as const;
}

export function readCookie(
  kind: 'session' | 'form',
  request: FastifyRequest,
  where: Where,
): string | undefined {
  return request.cookies[nameOf(kind, request, where)];
}

export function setCookie(
  kind: 'session' | 'form',
  value: string,
  request: FastifyRequest,
  reply: FastifyReply,
  where: Where,
): void {
  reply.setCookie(nameOf(kind, request, where), value, optionsOf(request, where));
}

export function clearCookie(
  kind: 'session' | 'form',
  request: FastifyRequest,
  reply: FastifyReply,
  where: Where,
): void {
  reply.clearCookie(nameOf(kind, request, where), optionsOf(request, where));
}
