import type { FastifyBaseLogger } from 'fastify';
import type { Limits } from './http/limits.ts';
import type { Tls } from './http/tls.ts';

export interface ServiceOptions {
  /** Where the reports are; those that are trained later are served too. */
  home: string;
  host: string;
  /** 0 takes any that is free. */
  port: number;
  /** A key for every report. */
  key?: string | undefined;
  /** Whether the keys of the home open the service too (`rowcast keys`), as they are at each request. */
  storedKeys?: boolean;
  /** Serves https. */
  tls?: Tls | undefined;
  /** Requests a second that each key may make; as many as it likes where it is left out. */
  rateLimit?: number | undefined;
  /** Rows per second that each key may have scored; as many as it likes where it is left out. */
  maxRowsPerSecond?: number | undefined;
  /** Where /healthz, /readyz and /metrics are served from a thread of their own too; 0 takes any port that is free. */
  adminPort?: number | undefined;
  /** Whether to count, and tell, how the service does at /metrics. */
  metrics?: boolean;
  /** Told one line a request, and what goes wrong. */
  log?: FastifyBaseLogger;
  limits?: Partial<Limits>;
}

export interface Service {
  /** Without a slash at its end. */
  url: string;
  /** That of the admin port, where there is one. */
  adminUrl: string | undefined;
  /**
   * Reads the stored keys again, and presents another certificate to connections from here on.
   *
   * @throws RowcastError `bad_certificate`; then the present one stays
   */
  reload(tls: Tls | undefined): void;
  /** Reports the service as not ready from here on; it serves all the same, until it is closed. */
  drain(): void;
  /**
   * Stops accepting connections, finishes the requests that were begun, refuses later ones with 503, then frees the
   * models. What is not finished after `timeout` milliseconds, such as a request of which half was sent, is cut off.
   *
   * @returns how many connections were cut off
   */
  close(timeout?: number): Promise<number>;
}
