import type {
  FastifyBaseLogger,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
} from 'fastify';
import type { KeyRing } from './auth/key-ring.ts';
import type { Tls } from './http/http-server.ts';
import type { FairUse } from './limits/fair-use.ts';
import type { ModelCache } from './predict/model-cache.ts';
import type { Limits } from './service-limits.ts';
import type { ServiceThreads } from './threads/service-threads.ts';

export interface RunningServiceOptions {
  /** The data directory, which holds the reports; reports that are trained later are served too. */
  home: string;
  host: string;
  /** 0 means any free port. */
  port: number;
  /** A key with access to everything. */
  key?: string | undefined;
  /** Whether the stored keys (`rowcast keys`) are accepted too; changes take effect immediately. */
  storedKeys?: boolean;
  /** Serves HTTPS if given. */
  tls?: Tls | undefined;
  /** Requests per second for each key; no limit if omitted. */
  maxRequestsPerSecond?: number | undefined;
  /** Rows per second for each key; no limit if omitted. */
  maxRowsPerSecond?: number | undefined;
  /** The most threads that score large requests, or the number of cores if omitted. */
  threads?: number | undefined;
  /**
   * How long to load models before the service listens, in milliseconds; by default, none is loaded before it is used.
   */
  preloadMs?: number | undefined;
  /** Also serves /healthz, /readyz and /metrics on this port, from a separate thread; 0 means any free port. */
  adminPort?: number | undefined;
  /** Whether to collect metrics and serve them at /metrics. */
  metrics?: boolean;
  /** Receives one line per request, and errors. */
  log?: FastifyBaseLogger;
  limits?: Partial<Limits>;
  /** Further routes, such as those of the web platform. */
  extension?: Extension | undefined;
}

/** Routes that are served next to those of the API. */
export interface Extension {
  routes: FastifyPluginAsync<Shared>;
  /** Responds to paths that neither it nor the API has. */
  notFound(request: FastifyRequest, reply: FastifyReply): unknown;
}

/** What the service shares with an extension. */
export interface Shared {
  home: string;
  /** The address that the service listens on. */
  host: string;
  /** Whether the service itself speaks TLS. */
  isEncrypted: boolean;
  keys: KeyRing;
  models: ModelCache;
  threads: ServiceThreads;
  limits: Limits;
  fairUse: FairUse;
  /** Limits the requests per second of a key; undefined without a limit. To be run once the key is known. */
  limitRate: onRequestAsyncHookHandler | undefined;
  /** True once the service accepts no new work. */
  isClosing(): boolean;
  /** Called with the number of personas that received a prediction. */
  onScored(request: FastifyRequest, personas: number): void;
}

export interface RunningService {
  /** Without a trailing slash. */
  url: string;
  /** The URL of the admin port, if there is one. */
  adminUrl: string | undefined;
  /**
   * Reads the stored keys again, and presents the new certificate to new connections.
   *
   * @throws RowcastError `bad_certificate`; the current certificate is kept
   */
  reload(tls: Tls | undefined): void;
  /** Reports the service as not ready; it keeps serving until it is closed. */
  drain(): void;
  /**
   * Shuts down gracefully: stops accepting connections, finishes in-flight requests, rejects later ones with 503, then
   * frees the models. Requests that are not finished after `timeout` milliseconds are aborted.
   *
   * @returns how many connections were aborted
   */
  close(timeout?: number): Promise<number>;
}
