import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from './client-network.ts';
import {
  type ClientConnection,
  type Closing,
  type ConnectionLimits,
  connectionToClose,
  type Handshake,
  isIdle,
} from './unused-connections.ts';

export interface ServerConnectionsOptions extends ConnectionLimits {
  isTls: boolean;
  /** Called for each connection that is closed because a limit was reached. */
  onClosing(closing: Closing): void;
}

/**
 * Tracks the connections of a server, so that it can shut down without truncating a response, and so that unused
 * connections do not keep others out. Node's own `close` destroys every connection whose last response was ended, even
 * if its bytes are still buffered for a slow reader, and leaves open those whose response ends later. Node's own limit
 * closes every new connection.
 */
export class ServerConnections {
  readonly #options: ServerConnectionsOptions;
  readonly #open = new Map<Socket, ClientConnection>();
  /** Connections in their TLS handshake, by the client's address and port. */
  readonly #handshakes = new Map<string, Handshake>();
  #isEnding = false;

  constructor(server: Server, options: ServerConnectionsOptions) {
    this.#options = options;
    const { isTls } = options;
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => this.#opened(socket));
    if (isTls)
      server.on('connection', (socket: Socket) => {
        const peer = peerOf(socket);
        const network = networkOf(socket.remoteAddress ?? '');
        this.#handshakes.set(peer, { socket, since: performance.now(), network });
        socket.once('close', () => this.#handshakes.delete(peer));
      });
    // Added last, so that the new connection is already tracked.
    server.on('connection', (socket: Socket) => this.#keepLimits(socket));
    // Called when the server closes; replaced, because `end` closes connections when they are done.
    server.closeIdleConnections = () => {};
  }

  /**
   * Handles a request. If another one arrives before the response was passed to the kernel, it is not parsed, and the
   * connection closes after the response. Clients may send requests without waiting for responses (pipelining, RFC 9112
   * section 9.3.2), but none that is in use does, and Node would parse and handle all of them at once: what is read
   * from a socket may contain thousands.
   */
  serve(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.response = response;
    connection.request = request;
    connection.bytesRead = socket.bytesRead;
    const settle = (): void => {
      if (this.#isEnding) this.#endIfIdle(socket, connection);
    };
    response.once('prefinish', () => {
      connection.unreadSince = performance.now();
    });
    response.once('close', () => {
      connection.response = undefined;
      connection.unreadSince = undefined;
      connection.since = performance.now();
      settle();
    });
    request.once('end', () => {
      if (hasBody(request)) connection.bytesRead = socket.bytesRead;
      settle();
    });
    handle();
  }

  /** Closes each connection as soon as it is idle. */
  end(): void {
    this.#isEnding = true;
    for (const { socket } of this.#handshakes.values()) socket.destroy();
    for (const [socket, connection] of this.#open) this.#endIfIdle(socket, connection);
  }

  /** Destroys the remaining connections. @returns how many there were */
  cut(): number {
    const left = [...this.#open.keys()];
    for (const socket of left) socket.destroy();
    return left.length;
  }

  #opened(socket: Socket): void {
    this.#handshakes.delete(peerOf(socket));
    const { bytesRead } = socket;
    const connection: ClientConnection = {
      network: networkOf(socket.remoteAddress ?? ''),
      since: performance.now(),
      response: undefined,
      unreadSince: undefined,
      request: undefined,
      bytesRead,
    };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
    refuseRequests(socket, () => {
      const { response } = connection;
      if (response === undefined) return false;
      // Says so in the headers, if they are not sent yet.
      response.shouldKeepAlive = false;
      response.once('close', () => socket.destroySoon());
      this.#options.onClosing('pipelined');
      return true;
    });
    if (this.#isEnding) this.#endIfIdle(socket, connection);
  }

  #keepLimits(added: Socket): void {
    const found = connectionToClose(this.#open, this.#handshakes, added, this.#options);
    if (found !== undefined) this.#close(found.socket, found.closing);
  }

  #close(socket: Socket, closing: Closing): void {
    this.#open.delete(socket);
    this.#handshakes.delete(peerOf(socket));
    socket.destroy();
    this.#options.onClosing(closing);
  }

  #endIfIdle(socket: Socket, connection: ClientConnection): void {
    // Closes once all written bytes have been passed to the kernel.
    if (isIdle(socket, connection)) socket.destroySoon();
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

/** Node's parser of the requests of a connection. Its types do not have it, and no public function stops it. */
interface RequestParser {
  /** Called when the head of a request is parsed, before Node makes a response for it. */
  onIncoming(...args: readonly unknown[]): number;
}

/** What `onIncoming` returns to end parsing with an error (`HPE_CB_HEADERS_COMPLETE`). */
const STOP = -1;

/**
 * Stops the parser of a connection at the head of a request that is refused; it parses nothing after it. To close the
 * socket is not enough: what was read from it at once, up to 64 KiB, would be parsed to its end, and each of its
 * thousands of requests takes 1.5 KB until the sockets of all connections are closed.
 *
 * @param socket a connection that the server has begun to read
 * @param isRefused called at the head of each request; if it refuses, it sees to the end of the connection
 */
function refuseRequests(socket: Socket, isRefused: () => boolean): void {
  // The server has given the socket its parser before others hear of the connection.
  const { parser } = socket as Socket & { parser: RequestParser };
  const accept = parser.onIncoming;
  parser.onIncoming = (...args) => (isRefused() ? STOP : accept(...args));
}
