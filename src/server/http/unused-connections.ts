import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * What became of a connection at the limit: one that waited for a request was closed to make room (`idle`), or one whose
 * request does not come to an end although nobody works on it, or that does not read its response (`stalled`), or the new one was (`refused`).
 */
export type Closing = 'idle' | 'stalled' | 'refused';

/** For the log: what was closed at the limit since its last line. */
export function describeClosings(
  { idle = 0, stalled = 0, refused = 0 }: Partial<Record<Closing, number>>,
  limit: number,
): string {
  const what = `${idle} idle and ${stalled} stalled closed, ${refused} new refused`;
  return `the limit of ${limit} connections was reached: ${what}`;
}

/**
 * How long a connection is spared at the limit although nothing is being done for it: a handshake, a head or the rest of
 * a refused body takes a few packets.
 */
const STALLED_MS = 1_000;
/** How long a client is given at the limit to read a response that is written whole. */
const UNREAD_MS = 60_000;

/** A connection whose TLS handshake, if any, is over. */
export interface Connection {
  /** When it was opened, or when the last response had left; by `performance.now()`. */
  since: number;
  /** Responses that were begun and have not left for the kernel yet, pipelined ones among them. */
  responses: number;
  /** The first of them, once it is written whole and waits for the client to read, and since when it does. */
  unread: { response: ServerResponse; since: number } | undefined;
  /** The last request, whose body may still be coming after its response. */
  request: IncomingMessage | undefined;
  /** Bytes that the requests so far took; more have come where a further head has begun. */
  bytesRead: number;
}

/** A connection whose TLS handshake is not over. */
export interface Handshake {
  socket: Socket;
  /** When it was opened; by `performance.now()`. */
  since: number;
}

/** Whether a connection waits for a request, or is about to. */
export function isIdle({ bytesRead }: Socket, { responses, request, bytesRead: known }: Connection): boolean {
  if (responses > 0) return false;
  return request?.complete === false ? request.destroyed : bytesRead === known;
}

/**
 * The connection to close at the limit: the one that has been idle for longest, else the one that has been stalled for
 * longest, else the new one. It is never one whose response is still being made.
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

/** Of the sockets added, the one that has been unused for longest. */
class Longest {
  socket: Socket | undefined;
  #since: number;

  /** @param latest only sockets that have been unused since then or longer count */
  constructor(latest: number) {
    this.#since = latest;
  }

  add(socket: Socket, since: number): void {
    if (since > this.#since) return;
    this.socket = socket;
    this.#since = since;
  }
}
