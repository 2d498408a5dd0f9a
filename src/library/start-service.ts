import { limitOptions, serviceThreadOptions } from '../base/options/serve.ts';
import { startServer as start } from '../server/server.ts';
import { rejectsWithRowcastError } from './as-rowcast-error.ts';
import { checkObject, readGiven } from './options/given-values.ts';

/** Options of `startService`. */
export interface ServiceOptions {
  /** The folder of the local reports; `.rowcast` by default. Reports that are trained later are served too. */
  home?: string | undefined;
  /** The address to listen on; `127.0.0.1` by default. */
  host?: string | undefined;
  /** 0, the default, picks a free one. */
  port?: number | undefined;
  /** A key that opens all reports. Without it, only the stored keys (`rowcast keys`) are accepted. */
  key?: string | undefined;
  /** Serves https with a PEM certificate chain and its private key. */
  tls?: { cert: Buffer; key: Buffer } | undefined;
  /** For each key; no limit by default. */
  maxRequestsPerSecond?: number | undefined;
  /** For each key; no limit by default. */
  maxRowsPerSecond?: number | undefined;
  /** Threads that score large requests; the number of cores by default. */
  threads?: number | undefined;
}

/** A service that has been started. */
export interface Service {
  /** Its base URL, without a trailing slash. */
  url: string;
  /** Stops accepting requests, finishes those in flight (up to 8 s), and frees the models. */
  close(): Promise<void>;
}

/**
 * Starts the prediction service of `rowcast serve` in this process, without the web platform.
 *
 * @throws RowcastError `cannot_listen`, `bad_certificate`, `unreadable_home`, `bad_option`
 */
export function startService(options: ServiceOptions = {}): Promise<Service> {
  return rejectsWithRowcastError(async () => {
    checkObject('startService', options, 'home, host, port and key');
    const table = { ...limitOptions, ...serviceThreadOptions };
    const { maxRequestsPerSecond, maxRowsPerSecond, threads } = readGiven(table, options, others);
    const { home = '.rowcast', host = '127.0.0.1', port = 0, key, tls } = options;
    const limits = { maxRequestsPerSecond, maxRowsPerSecond, threads };
    const service = await start({ home, host, port, key, tls, storedKeys: true, ...limits });
    return {
      url: service.url,
      async close() {
        await service.close();
      },
    };
  });
}

/** The options that are not in the table. */
const others = ['home', 'host', 'port', 'key', 'tls'];
