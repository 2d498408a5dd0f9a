import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply } from 'fastify';
import { RequestError } from '../problems/problems.ts';

type Release = () => void;

/** What to release when a response or its connection ends, whichever comes first. */
const releasesOf = new WeakMap<ServerResponse, Set<Release>>();
/** The responses of a connection that have something to release. */
const responsesOf = new WeakMap<Socket, Set<ServerResponse>>();

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
  const releases = releasesOf.get(raw);
  if (releases === undefined) watch(raw, new Set([release]));
  else releases.add(release);
}

/** Whether the client has disconnected. */
export const isGone = ({ raw }: FastifyReply): boolean => raw.destroyed || raw.req.socket.destroyed;

/** @throws RequestError if the client has disconnected, because nobody would read the response */
export function checkConnected(reply: FastifyReply): void {
  if (isGone(reply)) throw new RequestError('malformed', 'The connection was closed.');
}

const isOver = (response: ServerResponse): boolean => response.closed || response.req.socket.destroyed;

function watch(response: ServerResponse, releases: Set<Release>): void {
  const { socket } = response.req;
  const responses = responsesOf.get(socket) ?? watchSocket(socket);
  responses.add(response);
  releasesOf.set(response, releases);
  response.once('close', () => {
    responses.delete(response);
    releaseAll(response);
  });
}

/** One listener per connection, however many requests it carries. */
function watchSocket(socket: Socket): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  responsesOf.set(socket, responses);
  socket.once('close', () => {
    for (const response of responses) releaseAll(response);
    responses.clear();
  });
  return responses;
}

function releaseAll(response: ServerResponse): void {
  const releases = releasesOf.get(response);
  releasesOf.delete(response);
  for (const release of releases ?? []) release();
}
