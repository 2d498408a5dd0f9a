import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * After a response that was sent before the end of the request's body, keeps reading the body for a while and discards
 * it. Closing with unread bytes resets the connection, and the client may lose the response (RFC 9112 section 9.6). A
 * body that does not end in time is aborted.
 *
 * @param drainMs how long the rest of the body may take, in milliseconds
 */
export function drainRequest({ raw }: FastifyRequest, reply: FastifyReply, drainMs: number): void {
  // The client asked to close the connection, as Python's urllib does with each request.
  const isLast = !reply.raw.shouldKeepAlive;
  const end = (): void => {
    if (isLast) raw.socket.destroySoon();
  };
  reply.raw.once('finish', () => {
    if (raw.complete) return end();
    // Unref'd, because a connection that closes earlier does not clear the timer.
    const late = setTimeout(() => raw.destroy(), drainMs).unref();
    raw.once('close', () => clearTimeout(late));
    raw.once('end', end);
    raw.unpipe();
    raw.resume();
  });
}
