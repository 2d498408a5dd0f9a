import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Where an answer comes before the request's body has, reads on for a while after it and throws away what comes: to
 * close with bytes unread resets the connection, and the client may lose the answer (RFC 9112 section 9.6). What
 * comes on and on is cut off.
 *
 * @param drainMs milliseconds that the rest of the body may take
 */
export function drainRequest({ raw }: FastifyRequest, reply: FastifyReply, drainMs: number): void {
  // Asked for by the client, as Python's urllib does with each request.
  const isLast = !reply.raw.shouldKeepAlive;
  const end = (): void => {
    if (isLast) raw.socket.destroySoon();
  };
  reply.raw.once('finish', () => {
    if (raw.complete) return end();
    // A connection that closes before does not end the time, and the process must not wait for it.
    const late = setTimeout(() => raw.destroy(), drainMs).unref();
    raw.once('close', () => clearTimeout(late));
    raw.once('end', end);
    raw.unpipe();
    raw.resume();
  });
}
