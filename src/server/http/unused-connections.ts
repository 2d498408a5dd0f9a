import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isOwnAddress, networkOf } from './client-network.ts';

/**
 * Why a connection was closed. To make room at a limit: its client did not read its response (`unread`), it waited for
 * a request (`idle`), its client did not finish sending its request (`stalled`), or there was none of these, and the
 * new one was closed (`refused`). Without a limit of connections: a request arrived before the response to the last one
 * was sent (`pipelined`).
 */
export const closings = {
  unread: 'whose client did not read its response',
  idle: 'without a request',
  stalled: 'whose client did not finish its request',
  refused: 'refused, because all others were in use',
  pipelined: 'with several requests at once',
} as const;

export type Closing = keyof typeof closings;

/** After this time, a response that nobody reads is closed before connections that harm nobody. */
const UNREAD_MS = 5_000;

/** A connection whose TLS handshake, if any, is complete. */
export interface ClientConnection {
  /** The client's network. */
  network: string;
  /** When it was opened, or when its last response was sent; by `performance.now()`. */
  since: number;
  /** The response to its last request, until it has been passed to the kernel. */
  response: ServerResponse | undefined;
  /** Since when its response is completely written and waits for the client to read; by `performance.now()`. */
  unreadSince: number | undefined;
  /** The last request, whose body may still be coming after its response. */
  request: IncomingMessage | undefined;
  /** Bytes of the requests so far; if the socket has read more, another request has begun. */
  bytesRead: number;
}

/** A connection in its TLS handshake. */
export interface Handshake {
  socket: Socket;
  /** When it was opened; by `performance.now()`. */
  since: number;
  /** The client's network. */
  network: string;
}

/** Whether a connection waits for its next request, or is about to. */
export function isIdle(
  { bytesRead }: Socket,
  { response, request, bytesRead: known }: ClientConnection,
): boolean {
  if (response !== undefined) return false;
  return request?.complete === false ? request.destroyed : bytesRead === known;
}

/**
 * The connection to close at a limit: the one whose response has been unread for longest, else the one that has been
 * idle for longest, else the one that has been stalled for longest, else the new one. Never one whose response is still
 * being produced.
 *
 * @param stalledMs how long a connection counts as active while the service waits for its client
 */
function longestUnused(
  open: Iterable<readonly [Socket, ClientConnection]>,
  handshakes: Iterable<Handshake>,
  { added, stalledMs }: { added: Socket; stalledMs: number },
): { socket: Socket; closing: Closing } {
  const now = performance.now();
  let found = { socket: added, closing: 'refused' as Closing, rank: 4, since: now };
  /** @param rank those with a lower one are closed first */
  const consider = (rank: number, socket: Socket, closing: Closing, since: number): void => {
    if (socket === added) return;
    if (rank < found.rank || (rank === found.rank && since <= found.since))
      found = { socket, closing, rank, since };
  };
  const hasStalled = (since: number): boolean => now - since >= stalledMs;
  for (const [socket, connection] of open) {
    const { response, since, unreadSince } = connection;
    if (response === undefined && isIdle(socket, connection)) consider(1, socket, 'idle', since);
    else if (response === undefined && hasStalled(since)) consider(2, socket, 'stalled', since);
    else if (unreadSince !== undefined && hasStalled(unreadSince))
      consider(now - unreadSince >= UNREAD_MS ? 0 : 3, socket, 'unread', unreadSince);
  }
  for (const { socket, since } of handshakes) if (hasStalled(since)) consider(2, socket, 'stalled', since);
  return found;
}

export interface ConnectionLimits {
  /** The maximum number of connections. */
  limit: number;
  /** The maximum from one network, except from this machine; no limit if omitted. */
  networkLimit?: number;
  /** How long a connection counts as active while the service waits for its client, in milliseconds; by default 1 s. */
  stalledMs?: number;
}

/** A handshake, headers or the rest of a rejected body take a few packets. */
const STALLED_MS = 1_000;

/** Which connection to close because a new one was added, and why; undefined if no limit is exceeded. */
export function connectionToClose(
  open: ReadonlyMap<Socket, ClientConnection>,
  handshakes: ReadonlyMap<string, Handshake>,
  added: Socket,
  { limit, networkLimit = limit, stalledMs = STALLED_MS }: ConnectionLimits,
): { socket: Socket; closing: Closing } | undefined {
  const count = open.size + handshakes.size;
  if (count > limit) return longestUnused(open, handshakes.values(), { added, stalledMs });
  if (count <= networkLimit || isOwnAddress(added.remoteAddress)) return undefined;
  const own = networkOf(added.remoteAddress ?? '');
  const ownOpen = [...open].filter(([, { network }]) => network === own);
  const ownHandshakes = [...handshakes.values()].filter(({ network }) => network === own);
  if (ownOpen.length + ownHandshakes.length <= networkLimit) return undefined;
  return longestUnused(ownOpen, ownHandshakes, { added, stalledMs });
}
