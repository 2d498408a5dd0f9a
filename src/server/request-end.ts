import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from './problems/problems.ts';

type Release = () => void;

/** What to release when a response ends: one listener of a response, whatever it holds. */
const releasesOf = new WeakMap<ServerResponse, Release[]>();

/**
 * Runs `release` exactly once, when the request is over: its response was sent, or its connection closed. If it
 * is already over, `release` runs immediately. Watching the request is not enough: it closes as soon as its body has
 * been read.
 */
export function onRequestEnd({ raw }: FastifyReply, release: Release): void {
  if (raw.closed || raw.req.socket.destroyed) {
    release();
    return;
  }
  const releases = releasesOf.get(raw);
  if (releases !== undefined) {
    releases.push(release);
    return;
  }
  const own = [release];
  releasesOf.set(raw, own);
  raw.once('close', () => {
    for (const each of own) each();
  });
}

/** Whether the client has disconnected. */
export const isGone = ({ raw }: FastifyReply): boolean => raw.destroyed || raw.req.socket.destroyed;

/** @throws RequestError if the client has disconnected, because nobody would read the response */
export function checkConnected(reply: FastifyReply): void {
  if (isGone(reply)) throw new RequestError('malformed', 'The connection was closed.');
}

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
