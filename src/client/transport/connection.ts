import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Client as HttpClient } from 'undici';
import { Origin } from './response-origin.ts';
import { guard } from './socket-guard.ts';

export interface ConnectionOptions {
  /** Scheme, host and port of the service. */
  origin: string;
  maxHeaderBytes: number;
}

/** A response whose headers have come, and whose body is still to be read. */
export type HttpResponse = Dispatcher.ResponseData;

/** Makes the connections to a service. */
export type Connector = buildConnector.connector;

/** @param timeout milliseconds that a connection may take to be made */
export const newConnector = (timeout: number): Connector => buildConnector({ timeout });

/** One connection to the service; after it was closed while idle, the next request opens it anew. */
export class Connection {
  readonly #http: HttpClient;
  /** The last one that it had. */
  #socket: Socket | undefined;
  #origin = new Origin();
  #expectResponse = (): void => {};
  readonly #onSuspect: (origin: Origin) => void;
  #isRetired = false;

  /** @param onSuspect told of a connection on which more came than was asked for */
  constructor(
    { origin, maxHeaderBytes }: ConnectionOptions,
    connector: Connector,
    onSuspect: (origin: Origin) => void,
  ) {
    this.#onSuspect = onSuspect;
    this.#http = new HttpClient(origin, {
      // Each request has one deadline, which its caller keeps; undici's own would only shorten it.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maxHeaderBytes,
      connect: (options, callback) =>
        connector(options, (...outcome) => {
          const [, socket] = outcome;
          // Left out where the connection failed, whatever the types say.
          if (socket) this.#watch(socket, maxHeaderBytes);
          callback(...outcome);
        }),
    });
  }

  get hasConnected(): boolean {
    return this.#socket !== undefined;
  }

  /** Whether it was closed, or must not be used again. */
  get isOver(): boolean {
    return this.#isRetired || this.#socket?.destroyed === true;
  }

  /** Where a response that has come just now came from. */
  get origin(): Origin {
    return this.#origin;
  }

  request(options: Dispatcher.RequestOptions): Promise<HttpResponse> {
    this.#expectResponse();
    return this.#http.request(options);
  }

  /** Its response was read to the end, or given up. */
  idle(): void {
    this.#expectResponse();
  }

  /** One of its responses belongs to another request: none of the others can be trusted, and no more may come. */
  mixedUp(): void {
    this.#onSuspect(this.#origin);
    this.#isRetired = true;
  }

  /** Closes it at once. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.#http.destroy();
  }

  #watch(socket: Socket, maxHeaderBytes: number): void {
    const origin = new Origin();
    this.#origin = origin;
    this.#socket = socket;
    this.#expectResponse = guard(socket, maxHeaderBytes);
    socket.on('error', ({ code, message }: NodeJS.ErrnoException) => {
      // With a request under way they may be its own response, badly written.
      const isSurplus = code?.startsWith('HPE_') || (code === 'UND_ERR_SOCKET' && message === 'bad response');
      if (isSurplus && this.#http.stats.running === 0) this.#onSuspect(origin);
    });
  }
}
