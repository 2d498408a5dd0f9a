import type { Hash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline, type Readable } from 'node:stream';
import { RowcastError } from '../errors.ts';
import { sha256Of } from './checksum.ts';
import { PaddedGunzip } from './gunzip.ts';
import { isMissing } from './local/missing.ts';

/** Identifies an input, as far as the file system allows. */
export interface Identity {
  /** Absolute path, or `stdin`. */
  path: string;
  /** Size in bytes; null for a pipe. */
  size: number | null;
  /** Modification time in milliseconds since 1970; null for a pipe. */
  modified: number | null;
  /** Known after the first bytes have been read. */
  gzip: boolean;
}

/** A source of bytes: a file or a pipe, gzip or plain. */
export interface Source {
  /** For messages: the path, or `stdin`. */
  readonly name: string;
  readonly identity: Readonly<Identity>;
  /** Permissions of the file, undefined for a pipe. */
  readonly mode: number | undefined;
  /**
   * The uncompressed bytes in order; can be read once. An empty chunk means that nothing arrived for a while.
   * Throws RowcastError `unreadable_input`, `bad_gzip`.
   */
  readonly chunks: AsyncIterator<Buffer>;
  /** Continues at an offset of a plain file. */
  seek(offset: number): void;
  /**
   * SHA-256 of the raw bytes in hex; null if they were not read to the end. Must be requested when the source is opened.
   */
  sha256(): Promise<string | null>;
  /** @throws RowcastError `input_changed` if the file has changed since it was opened */
  checkUnchanged(): Promise<void>;
  close(): void;
}

/** Bytes of one read. */
export const CHUNK_BYTES = 64 << 10;
/** After this time without data, the rows read so far are sent as an incomplete batch. */
const IDLE_MS = 200;

const openFile = (path: string, start: number): Readable =>
  createReadStream(path, { highWaterMark: CHUNK_BYTES, start });

/** Errors before the first read are reported to the reader. Without a listener, they would end the process. */
const withErrorListener = (stream: Readable): Readable => stream.on('error', () => {});

/** Bytes of a stream, or of a file if there is one. */
export class StreamSource implements Source {
  readonly name: string;
  readonly identity: Identity;
  readonly mode: number | undefined;
  chunks: AsyncIterator<Buffer>;
  readonly #file: Stats | undefined;
  #stream: Readable;
  /** Hash of a pipe's bytes so far; a file is read a second time instead. */
  readonly #hash: Hash | undefined;
  #isRead = false;

  constructor(name: string, stream: Readable, hash?: Hash, file?: Stats) {
    this.#hash = hash;
    this.name = name;
    this.mode = file && file.mode & 0o777;
    this.identity = {
      path: name === 'stdin' ? name : resolve(name),
      size: file?.size ?? null,
      modified: file?.mtimeMs ?? null,
      gzip: false,
    };
    this.#file = file;
    this.#stream = withErrorListener(stream);
    const chunks = this.#uncompressed();
    this.chunks = file === undefined ? withIdle(chunks) : chunks;
  }

  seek(offset: number): void {
    this.#stream.destroy();
    this.#stream = withErrorListener(openFile(this.name, offset));
    this.chunks = this.#read(this.#stream);
  }

  async sha256(): Promise<string | null> {
    if (this.#file !== undefined) return sha256Of(this.name);
    return this.#isRead && this.#hash !== undefined ? this.#hash.copy().digest('hex') : null;
  }

  async checkUnchanged(): Promise<void> {
    if (this.#file === undefined) return;
    const now = await stat(this.name).catch((cause: NodeJS.ErrnoException) => {
      throw unreadable(this.name, cause);
    });
    const { size, mtimeMs, ino } = this.#file;
    if (now.size === size && now.mtimeMs === mtimeMs && now.ino === ino) return;
    throw new RowcastError('input_changed', 'the input changed while it was being read', {
      severity: 'stopped',
      location: { file: this.name },
      hint: 'Score it again with --restart once nothing writes to it any more.',
    });
  }

  close(): void {
    this.#stream.destroy();
  }

  async *#uncompressed(): AsyncGenerator<Buffer> {
    const raw = this.#read(this.#stream);
    const head: Buffer[] = [];
    // Two bytes are enough (RFC 1952 section 2.3.1), and a pipe may deliver them one by one.
    for (let size = 0; size < 2; ) {
      const { value, done } = await raw.next();
      if (done) break;
      head.push(value);
      size += value.length;
    }
    const first = Buffer.concat(head);
    this.identity.gzip = first[0] === 0x1f && first[1] === 0x8b;
    if (this.identity.gzip) yield* this.#gunzip(first, raw);
    else {
      if (first.length > 0) yield first;
      yield* raw;
    }
  }

  async *#gunzip(first: Buffer, raw: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
    async function* compressed(): AsyncGenerator<Buffer> {
      yield first;
      yield* raw;
    }
    // Errors are reported to the reader of the last stream.
    const plain = pipeline(compressed, new PaddedGunzip({ chunkSize: CHUNK_BYTES }), () => {});
    try {
      for await (const chunk of plain) yield chunk;
    } catch (cause) {
      if (cause instanceof RowcastError) throw cause;
      const { code, message } = cause as NodeJS.ErrnoException; // errors of zlib
      const what =
        code === 'Z_BUF_ERROR' ? 'the gzip data is truncated' : `the gzip data is damaged: ${message}`;
      throw new RowcastError('bad_gzip', what, {
        severity: 'stopped',
        location: { file: this.name },
        hint: 'Check it with gzip -t, and download it again.',
        cause,
      });
    }
  }

  async *#read(stream: Readable): AsyncGenerator<Buffer> {
    let isBegun = false;
    try {
      for await (const chunk of stream) {
        isBegun = true;
        this.#hash?.update(chunk);
        yield chunk;
      }
      this.#isRead = true;
    } catch (cause) {
      const severity = isBegun ? 'stopped' : 'refused';
      throw unreadable(this.name, cause as NodeJS.ErrnoException, severity); // errors of fs streams
    }
  }
}

/** The same chunks, with an empty one whenever none arrived for a while. */
async function* withIdle(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let next = chunks.next();
  for (let idle = false; ; ) {
    const result: IteratorResult<Buffer, void> | undefined = idle ? await next : await within(next, IDLE_MS);
    idle = result === undefined;
    if (result === undefined) yield Buffer.alloc(0);
    else if (result.done) return;
    else {
      yield result.value;
      next = chunks.next();
    }
  }
}

/** The result of a promise, or undefined on timeout. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function unreadable(
  file: string,
  cause: NodeJS.ErrnoException,
  severity: 'refused' | 'stopped' = 'refused',
): RowcastError {
  if (isMissing(cause))
    return new RowcastError('no_such_file', 'no such file', {
      severity,
      location: { file },
      cause,
      hint: 'Check the path.',
    });
  return new RowcastError('unreadable_input', `cannot read the input: ${cause.message}`, {
    severity,
    location: { file },
    cause,
  });
}
