import { pipeline, Transform, type TransformCallback } from 'node:stream';
import { promisify } from 'node:util';
import { createGunzip, type Gunzip, gzip as gzipAsync, gzipSync, type ZlibOptions } from 'node:zlib';
import { RowcastError } from '../../base/errors.ts';
import { checkHint } from '../../base/shell-pipe.ts';
import { CHUNK_BYTES } from '../source.ts';
import type { Codec } from './codec.ts';
import { membersPartial } from './members-partial.ts';

/**
 * Gzip's own level 6 takes half as much time again for files that are 4 % smaller. A member of 1 MiB is usually
 * returned in one piece of this size, instead of one of 16 KiB after the other (test/bench/RESULTS.md).
 */
const OPTIONS = { level: 5, chunkSize: 1 << 19 };

/** Gzip files (RFC 1952), of one member or several (section 2.2). */
export const gzip: Codec = {
  name: 'gzip',
  suffix: '.gz',
  decompressor: 'gzip -dc',
  isStart: bytes => bytes[0] === 0x1f && bytes[1] === 0x8b,
  decompress: gunzip,
  partialFile: (file, from) => membersPartial(file, from, bytes => promisify(gzipAsync)(bytes, OPTIONS)),
  compressNow: bytes => gzipSync(bytes),
};

/** A stream holds a chunk while it asks for the next one. */
async function* copied(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

async function* gunzip(chunks: AsyncIterable<Buffer>, file: string): AsyncGenerator<Buffer> {
  // Errors are reported to the reader of the last stream.
  const plain = pipeline(copied(chunks), new PaddedGunzip({ chunkSize: CHUNK_BYTES }), () => {});
  try {
    for await (const chunk of plain) yield chunk;
  } catch (cause) {
    if (cause instanceof RowcastError) throw cause;
    const { code, message } = cause as NodeJS.ErrnoException; // errors of zlib
    const isUnfinished = code === 'Z_BUF_ERROR';
    const what = isUnfinished ? 'the gzip data is truncated' : `the gzip data is damaged: ${message}`;
    throw new RowcastError('bad_gzip', what, {
      severity: 'stopped',
      location: { file },
      hint: checkHint(file, 'gzip -t'),
      isUnfinished,
      cause,
    });
  }
}

/**
 * Decompresses gzip data of any number of members, with zero padding allowed after each of them. On its own, zlib
 * ends the stream at the first zero byte after a member and ignores whatever follows it.
 *
 * Fails with zlib's own errors: `Z_BUF_ERROR` when the data ends inside a member, `Z_DATA_ERROR` when a member is
 * damaged or anything but zero bytes and further members follows one.
 */
export class PaddedGunzip extends Transform {
  readonly #options: Pick<ZlibOptions, 'chunkSize'>;
  /** Decompresses members up to the next padding; undefined within padding. */
  #members: Gunzip | undefined;

  constructor(options: Pick<ZlibOptions, 'chunkSize'> = {}) {
    super();
    this.#options = options;
    this.#members = this.#open();
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (this.#members === undefined) {
      const start = chunk.findIndex(byte => byte !== 0);
      if (start === -1) done();
      else {
        this.#members = this.#open();
        this.#decompress(this.#members, chunk.subarray(start), done);
      }
    } else this.#decompress(this.#members, chunk, done);
  }

  override _flush(done: TransformCallback): void {
    if (this.#members === undefined) done();
    else this.#members.once('end', done).end();
  }

  override _read(size: number): void {
    this.#members?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#members?.destroy();
    done(error);
  }

  #open(): Gunzip {
    const members = createGunzip(this.#options);
    members.on('data', bytes => {
      if (!this.push(bytes)) members.pause();
    });
    members.on('error', error => this.destroy(error));
    return members;
  }

  #decompress(members: Gunzip, chunk: Buffer, done: TransformCallback): void {
    const before = members.bytesWritten; // compressed bytes that zlib has consumed
    members.write(chunk, error => {
      // The `error` event reports it.
      if (error) return;
      const consumed = members.bytesWritten - before;
      if (consumed === chunk.length) {
        done();
        return;
      }
      // zlib leaves bytes unread, and ends, only where a zero byte follows a member.
      const skipPadding = (): void => {
        this.#members = undefined;
        members.destroy();
        this._transform(chunk.subarray(consumed), 'binary', done);
      };
      if (members.readableEnded) skipPadding();
      else members.once('end', skipPadding);
    });
  }
}
