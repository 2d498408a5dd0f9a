import { type Connector, HttpConnection, newConnector, Origins } from './connection.ts';
import { type HttpProxy, throughProxy } from './http-proxy.ts';
import type { ClientTls } from './tls.ts';

export interface HttpConnectionsOptions {
  /** Scheme, host and port of the service. */
  origin: string;
  /** Maximum number of connections. */
  max: number;
  /** Timeout of connecting, in milliseconds. */
  timeout: number;
  maxHeaderBytes: number;
  tls?: ClientTls | undefined;
  proxy?: HttpProxy | undefined;
}

/**
 * The connections to a service. Each carries one request at a time, and we know which: surplus data on a connection
 * casts doubt on all earlier responses of the same connection.
 */
export class HttpConnections {
  readonly origins = new Origins();
  readonly #options: HttpConnectionsOptions;
  readonly #connector: Connector;
  readonly #all = new Set<HttpConnection>();
  readonly #idle: HttpConnection[] = [];
  readonly #waiting: (() => void)[] = [];
  #hasConnected = false;

  constructor(options: HttpConnectionsOptions) {
    this.#options = options;
    const { timeout, tls, proxy } = options;
    // Shared, so that TLS sessions are resumed.
    const toService = newConnector(timeout, tls);
    this.#connector =
      proxy === undefined
        ? toService
        : throughProxy(proxy, { toProxy: newConnector(timeout), toService, timeout });
  }

  /** Whether the service was ever reached. */
  get hasConnected(): boolean {
    return this.#hasConnected || [...this.#all].some(({ hasConnected }) => hasConnected);
  }

  /**
   * Takes a connection for one request; `release` returns it.
   *
   * @throws the signal's reason if it is aborted while waiting
   */
  async take(signal: AbortSignal): Promise<HttpConnection> {
    while (this.#idle.length === 0 && this.#all.size >= this.#options.max) await this.#waitForRelease(signal);
    if (signal.aborted) {
      // This waiter may have been woken for a connection: pass it on to the next one.
      this.#waiting.shift()?.();
      throw signal.reason;
    }
    // The most recently used one is the least likely to have been closed in the meantime.
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const connection = new HttpConnection(this.#options, this.#connector, this.origins);
    this.#all.add(connection);
    return connection;
  }

  /** Number of idle connections with written rows that a late surplus response would invalidate. */
  get atRisk(): number {
    return this.#idle.filter(isAtRisk).length;
  }

  /** Takes one of these for a request; `release` returns it. */
  takeAtRisk(): HttpConnection | undefined {
    const index = this.#idle.findIndex(isAtRisk);
    return index < 0 ? undefined : this.#idle.splice(index, 1)[0];
  }

  release(connection: HttpConnection): void {
    if (connection.isOver) {
      this.#hasConnected ||= connection.hasConnected;
      this.#all.delete(connection);
      // The connection may still be closing; closing it again is harmless.
      void connection.retire();
    } else {
      connection.idle();
      this.#idle.push(connection);
    }
    this.#waiting.shift()?.();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map(connection => connection.retire()));
  }

  async #waitForRelease(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const wake = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(wake), 1);
        reject(signal.reason);
      };
      this.#waiting.push(wake);
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}

const isAtRisk = ({ isOver, origin }: HttpConnection): boolean => !isOver && origin?.firstRow !== undefined;
