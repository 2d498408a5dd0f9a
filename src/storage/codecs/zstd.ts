import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { pipeline, promises, Readable, type Transform, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { RowcastError } from '../../base/errors.ts';
import { CHUNK_BYTES } from '../source.ts';
import type { Codec } from './codec.ts';
import { membersPartial } from './members-partial.ts';
import { badZstd, type FramePiece, framesOf } from './zstd-frames.ts';

/** The magic numbers of a frame, and of the 16 kinds of skippable ones (RFC 8878, sections 3.1.1 and 3.1.2), in hex. */
const MAGIC = /^(?:28b52ffd|5.2a4d18)/;

/** Zstandard files (RFC 8878), of one frame or several. */
export const zstd: Codec = {
  name: 'zstd',
  suffix: '.zst',
  decompressor: 'zstd -dc',
  isStart: bytes => MAGIC.test(bytes.toString('hex', 0, 4)),
  checkAvailable: file => void findZstd(file),
  decompress: (chunks, file, maxWindowBytes) => findZstd(file).decompress(chunks, file, maxWindowBytes),
  partialFile: (file, from) => membersPartial(file, from, findZstd('').compress),
  compressNow: bytes => findZstd('').compressNow(bytes),
};

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

/** The same level and checksum as those of `COMPRESSION`. */
const COMPRESS = ['-qc', '-3', '--check'];
/** Also with the largest window, as with `DECOMPRESSION`. */
const DECOMPRESS = ['-dqc', '--long=31'];

/** Compresses and decompresses with the program `zstd`; undefined if it is not installed. */
export const zstdProgram = (): ZstdEngine | undefined => {
  isInstalled ??= spawnSync('zstd', ['--version'], { stdio: 'ignore' }).status === 0;
  return isInstalled ? engine : undefined;
};

let isInstalled: boolean | undefined;

const engine: ZstdEngine = {
  async compress(bytes) {
    const child = spawnZstd(COMPRESS);
    const [compressed] = await Promise.all([buffer(child.stdout), feed(child, [bytes]), ended(child)]);
    return compressed;
  },
  compressNow(bytes) {
    const { stdout, error, status } = spawnSync('zstd', COMPRESS, { input: bytes, maxBuffer: Infinity });
    if (error !== undefined || status !== 0) throw error ?? new Error(`zstd ended with ${status}`);
    return stdout;
  },
  async *decompress(chunks, file, maxWindowBytes) {
    const child = spawnZstd(DECOMPRESS);
    // Its own errors come first: zstd only sees that its input ends.
    const fed = feed(child, piecesOf(chunks, file, maxWindowBytes));
    const end = ended(child);
    for (const promise of [fed, end]) promise.catch(() => {}); // thrown below
    try {
      for await (const chunk of child.stdout) yield chunk;
      await fed;
      await end.catch(cause => {
        throw badZstd(file, `the zstd data is damaged: ${(cause as Error).message}`, { cause });
      });
    } finally {
      child.kill();
    }
  },
};

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const spawnZstd = (options: readonly string[]): Child => spawn('zstd', options, { stdio: 'pipe' });

async function* piecesOf(
  chunks: AsyncIterable<Buffer>,
  file: string,
  maxWindowBytes: number | undefined,
): AsyncGenerator<Buffer> {
  for await (const { bytes } of framesOf(chunks, file, maxWindowBytes)) yield Buffer.from(bytes);
}

/** If the program ends early, its exit code says why. */
async function feed(child: Child, bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  await promises.pipeline(Readable.from(bytes), child.stdin).catch(error => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** @throws Error with what the program says, if it failed */
async function ended(child: Child): Promise<void> {
  const said = buffer(child.stderr);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error((await said).toString().trim().split('\n')[0] || `zstd ended with ${code}`);
}

/**
 * Node's zlib, which has zstd from 22.15 on, or else the program of that name.
 *
 * @param file for messages
 * @throws RowcastError `no_zstd` where there is neither
 */
function findZstd(file: string): ZstdEngine {
  const engine = zlibZstd ?? zstdProgram();
  if (engine !== undefined) return engine;
  throw new RowcastError(
    'no_zstd',
    `Node ${process.versions.node} has no zstd, and the program zstd is not installed`,
    {
      location: { file },
      hint: 'Use Node 22.15 or later, or install the program zstd.',
    },
  );
}
