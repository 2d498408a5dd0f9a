import type { Socket } from 'node:net';

/** Node's parser of the requests of a connection. Its types do not have it, and no public function stops it. */
interface RequestParser {
  /** Called when the head of a request is parsed, before Node makes a response for it. */
  onIncoming(...args: readonly unknown[]): number;
}

/** What `onIncoming` returns to end parsing with an error (`HPE_CB_HEADERS_COMPLETE`). */
const STOP = -1;

/**
 * Stops the parser of a connection at the head of a request that is refused; it parses nothing after it. To close the
 * socket is not enough: what was read from it at once, up to 64 KiB, would be parsed to its end, and each of its thousands
 * of requests takes 1.5 KB until the sockets of all connections are closed.
 *
 * @param socket a connection that the server has begun to read
 * @param isRefused called at the head of each request; if it refuses, it sees to the end of the connection
 */
export function refuseRequests(socket: Socket, isRefused: () => boolean): void {
  // The server has given the socket its parser before others hear of the connection.
  const { parser } = socket as Socket & { parser: RequestParser };
  const accept = parser.onIncoming;
  parser.onIncoming = (...args) => (isRefused() ? STOP : accept(...args));
}
