import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  type Closing,
  type Connection,
  type Handshake,
  isIdle,
  longestUnused,
} from './unused-connections.ts';

export interface ConnectionsOptions {
  isTls: boolean;
  /** The maximum number of connections. */
  limit: number;
  /** Called for each connection that is closed because the limit was reached. */
  onClosing(closing: Closing): void;
}

/**
 * Tracks the connections of a server, so that it can shut down without truncating a response, and so that unused
 * connections do not keep others out. Node's own `close` destroys every connection whose last response was ended, even
 * if its bytes are still buffered for a slow reader, and leaves open those whose response ends later. Node's own limit
 * closes every new connection.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, Connection>();
  /** Connections in their TLS handshake, by the client's address and port. */
  readonly #handshakes = new Map<string, Handshake>();
  #isEnding = false;

  constructor(server: Server, options: ConnectionsOptions) {
    this.#options = options;
    const { isTls } = options;
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => this.#opened(socket));
    if (isTls)
      server.on('connection', (socket: Socket) => {
        const peer = peerOf(socket);
        this.#handshakes.set(peer, { socket, since: performance.now() });
        socket.once('close', () => this.#handshakes.delete(peer));
      });
    // Added last, so that the new connection is already tracked.
    server.on('connection', (socket: Socket) => this.#keepLimit(socket));
    // Called when the server closes; replaced, because `end` closes connections when they are done.
    server.closeIdleConnections = () => {};
  }

  /** Call this for each request before it is handled. */
  began(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.responses++;
    connection.request = request;
    connection.bytesRead = request.socket.bytesRead;
    const settle = (): void => {
      if (this.#isEnding) this.#endIfIdle(request.socket, connection);
    };
    // Emitted only by the first of the connection's pipelined responses.
    response.once('prefinish', () => {
      connection.unread = { response, since: performance.now() };
    });
    // Not called for responses that are queued on a broken connection; they are forgotten with it.
    response.once('close', () => {
      connection.responses--;
      // The next response may have been written before this is called.
      if (connection.unread?.response === response) connection.unread = undefined;
      connection.since = performance.now();
      settle();
    });
    request.once('end', () => {
      if (hasBody(request)) connection.bytesRead = request.socket.bytesRead;
      settle();
    });
  }

  /** Whether a request's response is the only one pending on its connection, so that it may be the last. */
  isAlone({ socket }: IncomingMessage): boolean {
    return this.#open.get(socket)?.responses === 1;
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
    const connection: Connection = {
      since: performance.now(),
      responses: 0,
      unread: undefined,
      request: undefined,
      bytesRead,
    };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
    if (this.#isEnding) this.#endIfIdle(socket, connection);
  }

  /** Makes room for a new connection by closing the longest unused one, or else closes the new one. */
  #keepLimit(added: Socket): void {
    if (this.#open.size + this.#handshakes.size <= this.#options.limit) return;
    const { socket, closing } = longestUnused(this.#open, this.#handshakes.values(), added);
    this.#open.delete(socket);
    this.#handshakes.delete(peerOf(socket));
    socket.destroy();
    this.#options.onClosing(closing);
  }

  #endIfIdle(socket: Socket, connection: Connection): void {
    // Closes once all written bytes have been passed to the kernel.
    if (isIdle(socket, connection)) socket.destroySoon();
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
