/** What compresses to zstd, and decompresses it. */
export interface ZstdEngine {
  /** Compresses bytes to one frame with a checksum. */
  compress(bytes: Uint8Array): Promise<Buffer>;
  compressNow(bytes: Uint8Array): Buffer;
  /**
   * @param file for messages
   * @param maxWindowBytes as of `framesOf`
   * @throws RowcastError `bad_zstd`
   */
  decompress(chunks: AsyncIterable<Buffer>, file: string, maxWindowBytes?: number): AsyncIterable<Buffer>;
}
