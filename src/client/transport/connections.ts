import { Connection, type Connector, newConnector } from './connection.ts';
import type { Origin } from './response-origin.ts';

export interface ConnectionsOptions {
  /** Scheme, host and port of the service. */
  origin: string;
  /** Most connections at once. */
  max: number;
  /** Milliseconds that a connection may take to be made. */
  timeout: number;
  maxHeaderBytes: number;
}

/**
 * The connections to a service. Each carries one request at a time, and it is known which one: what comes on it tells
 * of all responses that came on it before.
 */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #connector: Connector;
  readonly #all = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #waiting: (() => void)[] = [];
  #firstSuspectRow: number | undefined;
  #hasConnected = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    // One for all, so that TLS sessions are resumed.
    this.#connector = newConnector(options.timeout);
  }

  /** Whether the service was ever reached. */
  get hasConnected(): boolean {
    return this.#hasConnected || [...this.#all].some(({ hasConnected }) => hasConnected);
  }

  /** The first row that was written from a connection that became suspect later. */
  get firstSuspectRow(): number | undefined {
    return this.#firstSuspectRow;
  }

  /**
   * A connection for one request; `release` gives it back.
   *
   * @throws the signal's reason when it is aborted first
   */
  async take(signal: AbortSignal): Promise<Connection> {
    while (this.#idle.length === 0 && this.#all.size >= this.#options.max) await this.#waitForRelease(signal);
    if (signal.aborted) {
      // It may have been woken for a connection that another one can have now.
      this.#waiting.shift()?.();
      throw signal.reason;
    }
    // The one that was used last is the least likely to have been closed meanwhile.
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const connection = new Connection(this.#options, this.#connector, origin => this.suspect(origin));
    this.#all.add(connection);
    return connection;
  }

  /** How many idle connections have rows written from them that a late response would show to be another request's. */
  get atRisk(): number {
    return this.#idle.filter(isAtRisk).length;
  }

  /** One of these, for a request; `release` gives it back. */
  takeAtRisk(): Connection | undefined {
    const index = this.#idle.findIndex(isAtRisk);
    return index < 0 ? undefined : this.#idle.splice(index, 1)[0];
  }

  release(connection: Connection): void {
    if (connection.isOver) {
      this.#hasConnected ||= connection.hasConnected;
      this.#all.delete(connection);
      // It may still be closing, and closing it again is harmless.
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

  /** A connection's responses may belong to other requests. */
  suspect(origin: Origin): void {
    origin.suspect();
    const { firstRow } = origin;
    if (firstRow === undefined) return;
    this.#firstSuspectRow = Math.min(firstRow, this.#firstSuspectRow ?? firstRow);
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

const isAtRisk = ({ isOver, origin }: Connection): boolean => !isOver && origin.firstRow !== undefined;
