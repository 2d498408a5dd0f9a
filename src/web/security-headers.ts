import type { FastifyReply } from 'fastify';

/** Everything comes from the platform itself, from files: no inline scripts or styles, no frames, no other hosts. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  // Pages hold data and the token of the session. Assets have a header of their own.
  'cache-control': 'no-store',
};

/** Adds the headers to a response. */
export const setSecurityHeaders = (reply: FastifyReply): FastifyReply => reply.headers(headers);
