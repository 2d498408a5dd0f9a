/** The limits of a running service, over all keys. What one key gets of them is decided in `server/limits`. */
export interface Limits {
  /** The largest JSON body in bytes, after decompression. */
  bodyBytes: number;
  /** Bytes of JSON bodies in memory, over all keys; 503 beyond that. */
  memoryBytes: number;
  /** Bytes of responses in memory that are not read yet, over all keys; 503 beyond that. */
  responseBytes: number;
  /** Bytes of memory that the decompressors, parsers and threads of uploads have together; they wait beyond that. */
  uploadBytes: number;
  /** Timeout for receiving a whole JSON body, in milliseconds. */
  bodyMs: number;
  /** How long the rest of a body may take after an early response, in milliseconds. */
  drainMs: number;
  /** Timeout for receiving the request line and headers, in milliseconds. */
  headersMs: number;
  /** Idle timeout of a connection during a request: milliseconds without a byte in either direction. */
  idleMs: number;
  /** How often the key of a long request is looked up again, in milliseconds; uploads do so at every batch. */
  recheckMs: number;
  /** Connections, and also concurrent requests; beyond that, unused connections are closed to make room. */
  connections: number;
  /** Connections from one IPv4 address or one /64 of IPv6, except from this machine. */
  connectionsPerAddress: number;
  /** Concurrent file uploads; 503 beyond that. */
  uploads: number;
  /** The minimum rate of an upload, in bytes per second. */
  uploadBytesPerSecond: number;
  /** The window over which that rate is measured, in milliseconds of waiting for the client. */
  uploadRateMs: number;
  /** The largest record of an upload, in bytes. */
  recordBytes: number;
  /** Maximum columns of an upload. */
  columns: number;
  /** Bytes of disk for the response of one upload while its client does not read. */
  spillBytes: number;
  /** Bytes of disk for the responses of all uploads together. */
  maxSpillBytes: number;
  /** How long a client may stop reading before its response is spilled to disk, in milliseconds. */
  spillMs: number;
}

/** 32 MiB per minute is 4.5 Mbit/s; a typical batch of 1 MiB may arrive at 0.14 Mbit/s. */
export const defaultLimits: Limits = {
  bodyBytes: 32 * 1024 * 1024,
  memoryBytes: 256 * 1024 * 1024,
  responseBytes: 40 * 1024 * 1024,
  uploadBytes: 2 * 1024 ** 3,
  bodyMs: 60_000,
  drainMs: 30_000,
  headersMs: 10_000,
  idleMs: 120_000,
  recheckMs: 5_000,
  connections: 1_000,
  connectionsPerAddress: 250,
  uploads: 16,
  uploadBytesPerSecond: 1024,
  uploadRateMs: 60_000,
  recordBytes: 1024 * 1024,
  columns: 10_000,
  spillBytes: 4 * 1024 ** 3,
  maxSpillBytes: 16 * 1024 ** 3,
  spillMs: 1_000,
};
