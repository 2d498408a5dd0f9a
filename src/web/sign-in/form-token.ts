import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Shared } from '../../server/service.ts';
import { readCookie, setCookie } from '../session/cookies.ts';

/**
 * The CSRF token of the sign-in form, which has no session yet: it must equal that of a cookie. Otherwise another site
 * could sign a user in with a key of its own, and the user would upload data for its owner.
 */
export function formToken(request: FastifyRequest, reply: FastifyReply, context: Shared): string {
  const known = readCookie('form', request, context);
  if (known !== undefined && /^[\w-]{43}$/.test(known)) return known;
  const token = newFormToken();
  setCookie('form', token, request, reply, context);
  return token;
}

export const newFormToken = (): string => randomBytes(32).toString('base64url');
