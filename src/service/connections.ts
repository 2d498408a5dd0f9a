import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Connection {
  /** Responses that were begun and have not left for the kernel yet, pipelined ones among them. */
  responses: number;
  /** The last request, whose body may still be coming after its response. */
  request: IncomingMessage | undefined;
  /** Bytes that the requests so far took; more have come where a further head has begun. */
  bytesRead: number;
}

/**
 * The connections of a server, so that it can close without cutting a response off. Node's own closing destroys
 * every connection whose last response was ended, although its bytes may still wait in the process for a slow reader,
 * and leaves those open whose response ends later.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  /** Connections whose TLS handshake is not over, by the client's address and port. */
  readonly #handshakes = new Map<string, Socket>();
  #isEnding = false;

  constructor(server: Server, isTls: boolean) {
    server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => this.#opened(socket));
    if (isTls)
      server.on('connection', (socket: Socket) => {
        const peer = peerOf(socket);
        this.#handshakes.set(peer, socket);
        socket.once('close', () => this.#handshakes.delete(peer));
      });
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
    // Not called for the responses queued on a connection that breaks; their connection is forgotten with them.
    response.once('close', () => {
      connection.responses--;
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

  /** Connections that wait for a request, or are about to. */
  idle(): Socket[] {
    return [...this.#open]
      .filter(([socket, connection]) => isIdle(socket, connection))
      .map(([socket]) => socket);
  }

  /** Ends each connection as soon as nothing is under way on it. */
  end(): void {
    this.#isEnding = true;
    for (const socket of this.#handshakes.values()) socket.destroy();
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
    const connection: Connection = {
      responses: 0,
      request: undefined,
      bytesRead: socket.bytesRead,
    };
    this.#open.set(socket, connection);
    socket.once('close', () => this.#open.delete(socket));
    if (this.#isEnding) this.#endIfIdle(socket, connection);
  }

  #endIfIdle(socket: Socket, connection: Connection): void {
    // Closed when what was written has gone to the kernel.
    if (isIdle(socket, connection)) socket.destroySoon();
  }
}

function isIdle({ bytesRead }: Socket, { responses, request, bytesRead: known }: Connection): boolean {
  if (responses > 0) return false;
  return request?.complete === false ? request.destroyed : bytesRead === known;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
