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
  /** Connections at once. */
  limit: number;
  /** Called for each connection that is closed because there are as many as the limit. */
  onClosing(closing: Closing): void;
}

/**
 * The connections of a server, so that it can close without cutting a response off, and so that connections on which
 * nothing is done do not keep others out. Node's own closing destroys every connection whose last response was ended,
 * although its bytes may still wait in the process for a slow reader, and leaves those open whose response ends later;
 * its own limit closes every new connection.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<Socket, Connection>();
  /** Connections whose TLS handshake is not over, by the client's address and port. */
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
    // Added last, so that it knows the new connection.
    server.on('connection', (socket: Socket) => this.#keepLimit(socket));
    // Called when the server closes: connections end in their own time.
    server.closeIdleConnections = () => {};
  }

  /** To be told of each request, before it is handled. */
  began(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#open.get(request.socket);
    if (connection === undefined) return;
    connection.responses++;
    connection.request = request;
    connection.bytesRead = request.socket.bytesRead;
    const settle = (): void => {
      if (this.#isEnding) this.#endIfIdle(request.socket, connection);
    };
    // Emitted by the first of the connection's responses only.
    response.once('prefinish', () => {
      connection.unread = { response, since: performance.now() };
    });
    // Not called for the responses queued on a connection that breaks; their connection is forgotten with them.
    response.once('close', () => {
      connection.responses--;
      // The next one may have been written before this is called.
      if (connection.unread?.response === response) connection.unread = undefined;
      connection.since = performance.now();
      settle();
    });
    request.once('end', () => {
      if (hasBody(request)) connection.bytesRead = request.socket.bytesRead;
      settle();
    });
  }

  /** Whether a request's response is the only one that its connection waits for, so that it may be the last. */
  isAlone({ socket }: IncomingMessage): boolean {
    return this.#open.get(socket)?.responses === 1;
  }

  /** Ends each connection as soon as nothing is under way on it. */
  end(): void {
    this.#isEnding = true;
    for (const { socket } of this.#handshakes.values()) socket.destroy();
    for (const [socket, connection] of this.#open) this.#endIfIdle(socket, connection);
  }

  /** Cuts off what is left. @returns how many connections that was */
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

  /** Makes room for a new connection by closing the one that has been of no use for longest, else closes the new one. */
  #keepLimit(added: Socket): void {
    if (this.#open.size + this.#handshakes.size <= this.#options.limit) return;
    const { socket, closing } = longestUnused(this.#open, this.#handshakes.values(), added);
    this.#open.delete(socket);
    this.#handshakes.delete(peerOf(socket));
    socket.destroy();
    this.#options.onClosing(closing);
  }

  #endIfIdle(socket: Socket, connection: Connection): void {
    // Closed when what was written has gone to the kernel.
    if (isIdle(socket, connection)) socket.destroySoon();
  }
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
