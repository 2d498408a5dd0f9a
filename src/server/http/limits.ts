/** What one client may ask of the service, so that others are served too. Of what all share, see `shares`. */
export interface Limits {
  /** Bytes of a body of JSON, counted after gzip is undone. */
  bodyBytes: number;
  /** Bytes of such bodies in memory at once, of all keys together; more are refused with 503. */
  bodiesBytes: number;
  /** Milliseconds in which the whole of it must have come. */
  bodyMs: number;
  /** Milliseconds that the rest of a body may take after the answer. */
  drainMs: number;
  /** Milliseconds in which a request's line and headers must have come. */
  headersMs: number;
  /** Milliseconds without a byte either way, while a request is under way, after which it is dropped. */
  idleMs: number;
  /** Connections, and requests in progress, at once; beyond that, idle and stalled connections are closed to make room. */
  connections: number;
  /** Uploads of files at once; more are refused with 503. */
  uploads: number;
  /** The slowest that an upload may come, in bytes per second. */
  uploadBytesPerSecond: number;
  /** Milliseconds of waiting for the client over which that is measured. */
  uploadRateMs: number;
  /** Bytes of a record of an upload. */
  recordBytes: number;
  /** Columns of an upload. */
  columns: number;
  /** Bytes of disk that an upload's answer may take up while its client does not read. */
  spillBytes: number;
  /** Bytes of disk that the answers of all uploads may take up together. */
  maxSpillBytes: number;
  /** Milliseconds without the client reading after which its answer goes to disk. */
  spillMs: number;
}

/** 32 MiB in a minute is 4.5 Mbit/s; a batch of a usual size, 1 MiB, may come at 0.14 Mbit/s. */
export const defaultLimits: Limits = {
  bodyBytes: 32 * 1024 * 1024,
  bodiesBytes: 256 * 1024 * 1024,
  bodyMs: 60_000,
  drainMs: 30_000,
  headersMs: 10_000,
  idleMs: 120_000,
  connections: 1_000,
  uploads: 16,
  uploadBytesPerSecond: 1024,
  uploadRateMs: 60_000,
  recordBytes: 1024 * 1024,
  columns: 10_000,
  spillBytes: 4 * 1024 ** 3,
  maxSpillBytes: 16 * 1024 ** 3,
  spillMs: 1_000,
};
