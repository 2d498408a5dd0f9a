import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { RequestError } from './problems/problems.ts';

type Release = () => void;

/** For each connection, what to release when one of its responses or the connection itself ends, whichever comes first. */
const releasesOf = new WeakMap<Socket, Map<ServerResponse, Release[]>>();

/**
 * Runs `release` exactly once, when the request is over: its response was sent, or its connection closed. If it
 * is already over, `release` runs immediately.
 *
 * Watching the response alone is not enough: a response that is queued behind another on the same connection
 * (pipelining) does not close with the connection. Nor is the request, which closes as soon as its body has been read.
 */
export function onRequestEnd({ raw }: FastifyReply, release: Release): void {
  if (isOver(raw)) {
    release();
    return;
  }
  const { socket } = raw.req;
  const responses = releasesOf.get(socket) ?? watchSocket(socket);
  const releases = responses.get(raw);
  if (releases !== undefined) {
    releases.push(release);
    return;
  }
  responses.set(raw, [release]);
  raw.once('close', () => releaseAll(responses, raw));
}

/** Whether the client has disconnected. */
export const isGone = ({ raw }: FastifyReply): boolean => raw.destroyed || raw.req.socket.destroyed;

/** @throws RequestError if the client has disconnected, because nobody would read the response */
export function checkConnected(reply: FastifyReply): void {
  if (isGone(reply)) throw new RequestError('malformed', 'The connection was closed.');
}

const isOver = (response: ServerResponse): boolean => response.closed || response.req.socket.destroyed;

/** One listener per connection, however many requests it carries. */
function watchSocket(socket: Socket): Map<ServerResponse, Release[]> {
  const responses = new Map<ServerResponse, Release[]>();
  releasesOf.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses.keys()) releaseAll(responses, response);
  });
  return responses;
}

function releaseAll(responses: Map<ServerResponse, Release[]>, response: ServerResponse): void {
  const releases = responses.get(response);
  responses.delete(response);
  for (const release of releases ?? []) release();
}
