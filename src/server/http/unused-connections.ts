import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Which connection was closed at the limit: one that waited for a request (`idle`), one whose client did not finish
 * sending its request or did not read its response (`stalled`), or the new one (`refused`).
 */
export type Closing = 'idle' | 'stalled' | 'refused';

/** The log message for the connections closed at the limit since the previous one. */
export function describeClosings(
  { idle = 0, stalled = 0, refused = 0 }: Partial<Record<Closing, number>>,
  limit: number,
): string {
  const what = `closed ${idle} idle and ${stalled} stalled, refused ${refused} new`;
  return `the limit of ${limit} connections was reached: ${what}`;
}

/**
 * How long a connection counts as active while the service waits for its client: a handshake, headers or the rest of a
 * rejected body take a few packets.
 */
const STALLED_MS = 1_000;
/** How long a client may take, at the limit, to read a response that is completely written. */
const UNREAD_MS = 60_000;

/** A connection whose TLS handshake, if any, is complete. */
export interface Connection {
  /** When it was opened, or when its last response was sent; by `performance.now()`. */
  since: number;
  /** Responses that have not been passed to the kernel yet, including pipelined ones. */
  responses: number;
  /** The first of them, once it is completely written and waits for the client to read, and since when. */
  unread: { response: ServerResponse; since: number } | undefined;
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
}

/** Whether a connection waits for its next request, or is about to. */
export function isIdle({ bytesRead }: Socket, { responses, request, bytesRead: known }: Connection): boolean {
  if (responses > 0) return false;
  return request?.complete === false ? request.destroyed : bytesRead === known;
}

/**
 * The connection to close at the limit: the one that has been idle longest, else the one that has been stalled
 * longest, else the new one. Never one whose response is still being produced.
 */
export function longestUnused(
  open: ReadonlyMap<Socket, Connection>,
  handshakes: Iterable<Handshake>,
  added: Socket,
): { socket: Socket; closing: Closing } {
  const now = performance.now();
  const idle = new Longest(now);
  const stalled = new Longest(now - STALLED_MS);
  const unread = new Longest(now - UNREAD_MS);
  for (const [socket, connection] of open) {
    if (socket === added) continue;
    if (connection.responses === 0)
      (isIdle(socket, connection) ? idle : stalled).add(socket, connection.since);
    else if (connection.unread !== undefined) unread.add(socket, connection.unread.since);
  }
  for (const { socket, since } of handshakes) if (socket !== added) stalled.add(socket, since);
  if (idle.socket !== undefined) return { socket: idle.socket, closing: 'idle' };
  if (stalled.socket !== undefined) return { socket: stalled.socket, closing: 'stalled' };
  if (unread.socket !== undefined) return { socket: unread.socket, closing: 'stalled' };
  return { socket: added, closing: 'refused' };
}

/** Of the sockets added, the one that has been unused longest. */
class Longest {
  socket: Socket | undefined;
  #since: number;

  /** @param latest only sockets that have been unused since this time or longer count */
  constructor(latest: number) {
    this.#since = latest;
  }

  add(socket: Socket, since: number): void {
    if (since > this.#since) return;
    this.socket = socket;
    this.#since = since;
  }
}
