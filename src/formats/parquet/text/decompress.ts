import zlib from 'node:zlib';
import {
  type Compressors,
  decompressLz4,
  decompressLz4Raw,
  decompressZstd,
  snappyUncompress,
} from '../libraries.ts';

/** The types of Node are those of a version that does not have it: Node has had zstd since 22.15. */
const { zstdDecompressSync } = zlib as { zstdDecompressSync?: typeof zlib.brotliDecompressSync };

/**
 * zlib is used where it can, because it is faster and checks what it decompresses. The others write into as many bytes as the page
 * says that it has, whatever its compressed data says.
 */
const decompressors: Compressors = unlessEmpty({
  SNAPPY(bytes, length) {
    const plain = new Uint8Array(length);
    snappyUncompress(bytes, plain);
    return plain;
  },
  LZ4: decompressLz4,
  LZ4_RAW: decompressLz4Raw,
  GZIP: (bytes, length) => zlib.gunzipSync(bytes, { maxOutputLength: length }),
  BROTLI: (bytes, length) => zlib.brotliDecompressSync(bytes, { maxOutputLength: length }),
  ZSTD: (bytes, length) =>
    zstdDecompressSync?.(bytes, { maxOutputLength: length }) ?? decompressZstd(bytes, new Uint8Array(length)),
});

/** Decompresses pages that have no more bytes in all than `most`; others throw an Error, before any memory is taken. */
export function decompressorsUpTo(most: number): Compressors {
  let left = most;
  return Object.fromEntries(
    Object.entries(decompressors).map(([codec, decompress]) => [
      codec,
      (bytes: Uint8Array, length: number) => {
        left -= length;
        if (length < 0 || left < 0) throw new Error('its pages are larger than the footer says');
        return decompress(bytes, length);
      },
    ]),
  );
}

/** A page without values may have no bytes, which are not compressed data. */
function unlessEmpty(all: Compressors): Compressors {
  return Object.fromEntries(
    Object.entries(all).map(([codec, decompress]) => [
      codec,
      (bytes: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decompress(bytes, length)),
    ]),
  );
}
