import type { Socket } from 'node:net';
import { buildConnector, type Dispatcher, Client as HttpClient } from 'undici';
import { isRefusedCertificate } from '../../base/connection-error.ts';
import { guard } from './socket-guard.ts';
import type { ClientTls } from './tls.ts';

export interface ConnectionOptions {
  /** Scheme, host and port of the service. */
  origin: string;
  maxHeaderBytes: number;
}

/** A response whose headers have arrived and whose body has not been read yet. */
export type HttpResponse = Dispatcher.ResponseData;

/** Opens connections to a service. */
export type Connector = buildConnector.connector;

/** @param timeout of connecting, in milliseconds */
export const newConnector = (timeout: number, tls: ClientTls = {}): Connector =>
  buildConnector({ timeout, ...tls });

/** One connection to the service. If it was closed while idle, the next request reopens it. */
export class HttpConnection {
  readonly #http: HttpClient;
  /** The current or last socket. */
  #socket: Socket | undefined;
  #origin: Origin | undefined;
  /** Why the service closed the socket, if it does not accept the client's certificate. */
  #refusal: Error | undefined;
  readonly #origins: Origins;
  #expectResponse = (): void => {};
  #isRetired = false;
  /** What its socket had received when the current request was sent, in bytes; 0 if it was not connected. */
  #receivedBefore = 0;

  constructor({ origin, maxHeaderBytes }: ConnectionOptions, connector: Connector, origins: Origins) {
    this.#origins = origins;
    this.#http = new HttpClient(origin, {
      // The caller enforces one timeout per request; undici's own would only shorten it.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: maxHeaderBytes,
      connect: (options, callback) =>
        connector(options, (...outcome) => {
          const [, socket] = outcome;
          // Missing if connecting failed, whatever the types say.
          if (socket) this.#watch(socket, maxHeaderBytes);
          callback(...outcome);
        }),
    });
  }

  get hasConnected(): boolean {
    return this.#socket !== undefined;
  }

  /** Whether it is closed or must not be reused. */
  get isOver(): boolean {
    return this.#isRetired || this.#socket?.destroyed === true;
  }

  /** The origin of responses that arrive now; undefined before it was connected. */
  get origin(): Origin | undefined {
    return this.#origin;
  }

  async request(options: Dispatcher.RequestOptions): Promise<HttpResponse> {
    this.#expectResponse();
    this.#receivedBefore = this.#socket?.destroyed === false ? this.#socket.bytesRead : 0;
    try {
      return await this.#http.request(options);
    } catch (error) {
      throw this.#refusal ?? error;
    }
  }

  /**
   * Whether the service closed it after earlier responses without a byte of one to the current request, as servers do
   * after an error or some idle time: they have most likely not read the request.
   */
  get wasClosedBetween(): boolean {
    const { destroyed = false, bytesRead = 0 } = this.#socket ?? {};
    return destroyed && this.#receivedBefore > 0 && bytesRead === this.#receivedBefore;
  }

  /** Must be called when its response was read to the end or abandoned. */
  idle(): void {
    this.#expectResponse();
  }

  /** One of its responses belongs to another request: none can be trusted, and the connection is not reused. */
  mixedUp(): void {
    if (this.#origin !== undefined) this.#origins.suspect(this.#origin);
    this.#isRetired = true;
  }

  /** Closes it immediately. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.#http.destroy();
  }

  #watch(socket: Socket, maxHeaderBytes: number): void {
    const origin = this.#origins.opened();
    socket.once('close', () => this.#origins.closed(origin));
    this.#origin = origin;
    this.#socket = socket;
    this.#refusal = undefined;
    this.#expectResponse = guard(socket, maxHeaderBytes);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (isRefusedCertificate(error)) this.#refusal = error;
      const { code, message } = error;
      // With a request in flight, this may be its own malformed response.
      const isSurplus = code?.startsWith('HPE_') || (code === 'UND_ERR_SOCKET' && message === 'bad response');
      if (isSurplus && this.#http.stats.running === 0) this.#origins.suspect(origin);
    });
  }
}

/**
 * The connection that a response arrived on, kept while nothing proves that the response belongs to its request.
 * HTTP/1.1 matches responses to requests by order alone (RFC 9112 section 9.3). A surplus response on a connection
 * shifts all later ones, and this may be detected only afterwards.
 */
export interface Origin {
  /** Unique within a run. */
  readonly id: number;
  /** Whether the connection delivered more than was requested: its responses may belong to other requests. */
  isSuspect: boolean;
  /** The first row written from one of its responses that is not yet proven to be in order. */
  firstRow: number | undefined;
}

/** The origins of a run by their ids, for stages that know a response as plain data only. */
export class Origins {
  #count = 0;
  readonly #open = new Map<number, Origin>();
  readonly #suspect = new Set<number>();
  /** The first row that was written from a connection that became suspect later. */
  firstSuspectRow: number | undefined;

  /** A new socket. */
  opened(): Origin {
    const origin: Origin = { id: ++this.#count, isSuspect: false, firstRow: undefined };
    this.#open.set(origin.id, origin);
    return origin;
  }

  /** The socket of an origin was closed. It can no longer become suspect, so it is forgotten unless it already is. */
  closed({ id }: Origin): void {
    this.#open.delete(id);
  }

  /** Marks a connection's responses as possibly belonging to other requests. */
  suspect(origin: Origin): void {
    origin.isSuspect = true;
    this.#suspect.add(origin.id);
    const { firstRow } = origin;
    if (firstRow !== undefined) this.firstSuspectRow = Math.min(firstRow, this.firstSuspectRow ?? firstRow);
  }

  /**
   * To be called before rows are written from responses with these origins: those requests can no longer be retried.
   *
   * @returns false if the responses may belong to other requests: the rows must not be written
   */
  confirm(ids: readonly number[], row: number): boolean {
    if (ids.some(id => this.#suspect.has(id))) return false;
    for (const id of ids) {
      const origin = this.#open.get(id);
      if (origin !== undefined) origin.firstRow = Math.min(row, origin.firstRow ?? row);
    }
    return true;
  }
}
