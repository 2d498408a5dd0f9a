import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Readable, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { badZstd, framesOf } from './frames.ts';
import type { ZstdEngine } from './zstd-engine.ts';

/** The level and the checksum of `zlib-zstd.ts`. */
const COMPRESS = ['-qc', '-3', '--check'];
/** Also with the largest window, as in `zlib-zstd.ts`. */
const DECOMPRESS = ['-dqc', '--long=31'];

/** Compresses and decompresses with the program `zstd`; undefined if it is not installed. */
export const zstdProgram = (): ZstdEngine | undefined => {
  isInstalled ??= spawnSync('zstd', ['--version'], { stdio: 'ignore' }).status === 0;
  return isInstalled ? engine : undefined;
};

let isInstalled: boolean | undefined;

const engine: ZstdEngine = {
  async compress(bytes) {
    const child = run(COMPRESS);
    const [compressed] = await Promise.all([buffer(child.stdout), feed(child, [bytes]), ended(child)]);
    return compressed;
  },
  compressNow(bytes) {
    const { stdout, error, status } = spawnSync('zstd', COMPRESS, { input: bytes, maxBuffer: Infinity });
    if (error !== undefined || status !== 0) throw error ?? new Error(`zstd ended with ${status}`);
    return stdout;
  },
  async *decompress(chunks, file, maxWindowBytes) {
    const child = run(DECOMPRESS);
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

const run = (options: readonly string[]): Child => spawn('zstd', options, { stdio: 'pipe' });

async function* piecesOf(
  chunks: AsyncIterable<Buffer>,
  file: string,
  maxWindowBytes: number | undefined,
): AsyncGenerator<Buffer> {
  for await (const { bytes } of framesOf(chunks, file, maxWindowBytes)) yield Buffer.from(bytes);
}

/** If the program ends early, its exit code says why. */
async function feed(child: Child, bytes: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): Promise<void> {
  await pipeline(Readable.from(bytes), child.stdin).catch(error => {
    if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  });
}

/** @throws Error with what the program says, if it failed */
async function ended(child: Child): Promise<void> {
  const said = buffer(child.stderr);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error((await said).toString().trim().split('\n')[0] || `zstd ended with ${code}`);
}
