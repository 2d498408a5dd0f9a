/** The limits of a running service, over all keys. What one key gets of them is decided in `server/limits`. */
export const defaultLimits = {
  /** The largest JSON body in bytes, after decompression. */
  bodyBytes: 32 * 1024 * 1024,
  /** Bytes of JSON bodies in memory, over all keys; 503 beyond that. */
  memoryBytes: 256 * 1024 * 1024,
  /** Bytes of responses in memory that are not read yet, over all keys; 503 beyond that. */
  responseBytes: 40 * 1024 * 1024,
  /** Bytes of memory that the decompressors, parsers and threads of uploads have together; they wait beyond that. */
  uploadBytes: 2 * 1024 ** 3,
  /**
   * Timeout for receiving a whole JSON body, in milliseconds. 32 MiB per minute is 4.5 Mbit/s; a typical batch of 1 MiB
   * may arrive at 0.14 Mbit/s.
   */
  bodyMs: 60_000,
  /** How long the rest of a body may take after an early response, in milliseconds. */
  drainMs: 30_000,
  /** Timeout for receiving the request line and headers, in milliseconds. */
  headersMs: 10_000,
  /** Idle timeout of a connection during a request: milliseconds without a byte in either direction. */
  idleMs: 120_000,
  /** How often the key of a long request is looked up again, in milliseconds; uploads do so at every batch. */
  recheckMs: 5_000,
  /** Connections, and also concurrent requests; beyond that, unused connections are closed to make room. */
  connections: 1_000,
  /** Connections from one IPv4 address or one /64 of IPv6, except from this machine. */
  connectionsPerAddress: 250,
  /** Concurrent file uploads; 503 beyond that. */
  uploads: 16,
  /** The minimum rate of an upload, in bytes per second. */
  uploadBytesPerSecond: 1024,
  /** The window over which that rate is measured, in milliseconds of waiting for the client. */
  uploadRateMs: 60_000,
  /** The largest record of an upload, in bytes. */
  recordBytes: 1024 * 1024,
  /** Maximum columns of an upload. */
  columns: 10_000,
  /** Bytes of disk for the response of one upload while its client does not read. */
  spillBytes: 4 * 1024 ** 3,
  /** Bytes of disk for the responses of all uploads together. */
  maxSpillBytes: 16 * 1024 ** 3,
  /** How long a client may stop reading before its response is spilled to disk, in milliseconds. */
  spillMs: 1_000,
};

export type Limits = typeof defaultLimits;
