import type { FastifyInstance, FastifyReply } from 'fastify';

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

export function setSecurityHeaders(reply: FastifyReply): FastifyReply {
  return reply.headers(headers);
}

/** Adds the headers to every response, from before anything can fail. */
export function addSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', async (_, reply) => {
    setSecurityHeaders(reply);
  });
}
