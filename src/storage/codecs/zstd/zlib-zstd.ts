import { pipeline, type Transform } from 'node:stream';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { RowcastError } from '../../../base/errors.ts';
import { CHUNK_BYTES } from '../../source.ts';
import { badZstd, type FramePiece, framesOf } from './frames.ts';
import type { ZstdEngine } from './zstd-engine.ts';

/** What Node's zlib has from 22.15 on. */
interface ZlibWithZstd {
  zstdCompress(bytes: Uint8Array, options: object, done: (error: Error | null, bytes: Buffer) => void): void;
  zstdCompressSync(bytes: Uint8Array, options: object): Buffer;
  createZstdDecompress(options: object): Transform;
}

/** The parameters of zstd.h by their numbers, which are stable: the level, and a checksum of the content. */
const COMPRESSION = { params: { 100: 3, 201: 1 }, chunkSize: 1 << 19 };

/** The largest window, as `zstd --long=31` writes it. */
const DECOMPRESSION = { params: { 100: 31 }, chunkSize: CHUNK_BYTES };

/** Compresses and decompresses with Node's zlib; undefined where it has no zstd. */
export const zlibZstd: ZstdEngine | undefined = hasZstd(zlib) ? engineOf(zlib) : undefined;

function hasZstd(module: object): module is ZlibWithZstd {
  return 'createZstdDecompress' in module;
}

function engineOf({ zstdCompress, zstdCompressSync, createZstdDecompress }: ZlibWithZstd): ZstdEngine {
  const compress = promisify(zstdCompress);
  return {
    compress: bytes => compress(bytes, COMPRESSION),
    compressNow: bytes => zstdCompressSync(bytes, COMPRESSION),
    /** Each frame has a decompressor of its own, which gets the bytes of this frame only. */
    async *decompress(chunks, file, maxWindowBytes) {
      const pieces = framesOf(chunks, file, maxWindowBytes);
      try {
        for (;;) {
          const { value: first, done } = await pieces.next();
          if (done) return;
          // Errors are reported to the reader of the last stream.
          const content = pipeline(frameOf(first, pieces), createZstdDecompress(DECOMPRESSION), () => {});
          try {
            for await (const chunk of content) yield chunk;
          } catch (cause) {
            if (cause instanceof RowcastError) throw cause;
            const where = `in the frame that begins at byte ${first.frameAt}`;
            throw badZstd(file, `the zstd data is damaged ${where}: ${(cause as Error).message}`, { cause });
          }
        }
      } finally {
        await pieces.return(undefined);
      }
    },
  };
}

/** The bytes of one frame. A stream holds a chunk while it asks for the next one, so they are copied. */
async function* frameOf(first: FramePiece, pieces: AsyncGenerator<FramePiece>): AsyncGenerator<Buffer> {
  for (let piece = first; ; ) {
    yield Buffer.from(piece.bytes);
    if (piece.isLast) return;
    const next = await pieces.next();
    if (next.done) return;
    piece = next.value;
  }
}
