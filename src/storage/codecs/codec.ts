import type { AppendedFile, Extent, PartialFile } from '../partial-file.ts';

/**
 * Uncompressed size of a gzip member or zstd frame. It is large compared to deflate's window of 32 KiB, so compression
 * hardly suffers.
 */
export const MEMBER_BYTES = 1 << 20;

/**
 * The largest window of uploads: more than any level of zstd has without --long. Windows of 2 GiB are for files of the
 * user.
 */
export const UPLOAD_WINDOW_BYTES = 128 << 20;

/** A compression of files, or none. Another one is a file in this folder and a line in `codecs.ts`. */
export interface Codec {
  /** The name that checkpoints record. */
  readonly name: string;
  /** How the names of such files end, in lower case. */
  readonly suffix: string;
  /** The command that decompresses such a file from stdin, for messages; left out for none. */
  readonly decompressor?: string;
  /** Whether this is how their bytes begin: `CODEC_START_BYTES` of them, or fewer if there are no more. */
  isStart(bytes: Buffer): boolean;
  /**
   * Checks that this machine can write them, where not all can.
   *
   * @param file for messages
   * @throws RowcastError `no_zstd`
   */
  checkAvailable?(file: string): void;
  /**
   * Decompresses an input.
   *
   * @param file for messages
   * @param maxWindowBytes the most that the data may have it remember, where that is the sender's choice
   * @throws RowcastError for damaged data, such as `bad_gzip`; `no_zstd`
   */
  decompress(chunks: AsyncIterable<Buffer>, file: string, maxWindowBytes?: number): AsyncIterable<Buffer>;
  /** Writes a file that can be truncated and continued at its marks, compressed. */
  partialFile<Mark>(file: AppendedFile, from: Extent<Mark>): PartialFile<Mark>;
  /** Compresses a small file before it returns. */
  compressNow(bytes: Buffer): Buffer;
}
