import { createHash, type Hash } from 'node:crypto';
import { RowcastError } from '../base/errors.ts';
import type { StoredBytes, TextEntry, TextOfFile } from '../base/text-of-file.ts';
import type { Codec } from './codecs/codec.ts';
import { CODEC_START_BYTES, codecOfBytes, nameOfContent } from './codecs/codecs.ts';
import { none } from './codecs/none.ts';
import { checkEncoding, expectUtf16, nameForIconv, transcode } from './codecs/transcode.ts';
import { sha256OfStream } from './digests.ts';
import {
  type ByteStream,
  type Identity,
  type InputVersion,
  type Source,
  type StoredInput,
  unreadable,
} from './source.ts';

/** How an input begins. */
interface Beginning {
  codec: Codec;
  /** The bytes that were read to find that out. */
  first: Buffer;
}

/** A stored input, decompressed. */
export class DecodedSource implements Source {
  readonly name: string;
  readonly contentName: string;
  readonly version: InputVersion;
  readonly isLive: boolean;
  chunks: AsyncIterator<Buffer>;
  readonly #stored: StoredInput;
  #stream: ByteStream;
  readonly #raw: AsyncGenerator<Buffer>;
  #beginning: Promise<Beginning> | undefined;
  #codec: Codec | undefined;
  /** Hash of a live input's bytes so far; any other is read a second time instead. */
  readonly #hash: Hash | undefined;
  #isRead = false;
  #isClosed = false;
  /** Ranges of the file that are being read, and end when it is closed. */
  readonly #ranges = new Set<ByteStream>();
  /** The text that is made of the file, if it is not text. */
  #text: TextOfFile | undefined;
  readonly #encoding: string | undefined;
  readonly #maxWindowBytes: number | undefined;

  /**
   * @param checksum whether `sha256` will be called
   * @param encoding of the text, if it is not UTF-8
   * @param maxWindowBytes as of `Codec.decompress`
   * @throws RowcastError `bad_option` for an unknown encoding
   */
  constructor(
    stored: StoredInput,
    checksum: boolean,
    { encoding, maxWindowBytes }: { encoding?: string | undefined; maxWindowBytes?: number | undefined } = {},
  ) {
    if (encoding !== undefined) checkEncoding(encoding);
    this.#encoding = encoding;
    this.#maxWindowBytes = maxWindowBytes;
    const { name, version, stream, streamFrom } = stored;
    this.#stored = stored;
    this.name = name;
    this.contentName = nameOfContent(name);
    this.version = version;
    this.isLive = streamFrom === undefined;
    this.#hash = this.isLive && checksum ? createHash('sha256') : undefined;
    this.#stream = stream;
    this.#raw = this.#read(this.#stream);
    const content = this.#content();
    this.chunks = this.isLive ? withIdle(content) : content;
  }

  async identify(): Promise<Identity> {
    const { version } = this;
    const { path } = this.#stored;
    if (this.#text !== undefined) {
      const { codec, footer } = this.#text;
      return { path, ...version, codec, footer, contentSize: null };
    }
    const { codec } = await this.#begin();
    const contentSize = codec === none && this.#encoding === undefined ? version.size : null;
    return { path, ...version, codec: codec.name, contentSize };
  }

  get decodedBy(): readonly string[] {
    const decompressor = this.#codec?.decompressor;
    return [
      ...(decompressor === undefined ? [] : [decompressor]),
      ...(this.#encoding === undefined ? [] : [`iconv -f ${nameForIconv(this.#encoding)} -t UTF-8`]),
    ];
  }

  get stored(): StoredBytes | undefined {
    const { version, streamFrom } = this.#stored;
    const { size } = version;
    if (streamFrom === undefined || size === null) return undefined;
    return {
      size,
      read: (from, to, isKept) => this.#readRange(streamFrom(from, to), to - from, isKept),
      readAs: (text, offset) => {
        this.#stream.destroy();
        this.#text = text;
        this.chunks = text.from(offset);
        return this.chunks;
      },
    };
  }

  entryBefore(offset: number): TextEntry | undefined {
    return this.#text?.entryBefore(offset);
  }

  seek(offset: number, entry?: TextEntry): void {
    if (this.#text !== undefined) {
      this.chunks = this.#text.from(offset, entry);
      return;
    }
    const { streamFrom } = this.#stored;
    if (streamFrom === undefined) throw new Error(`${this.name} cannot be read from an offset`);
    this.#stream.destroy();
    this.#stream = streamFrom(offset);
    this.chunks = this.#read(this.#stream);
  }

  async sha256(): Promise<string | null> {
    const { streamFrom } = this.#stored;
    if (streamFrom !== undefined) return sha256OfStream(streamFrom(0));
    return this.#isRead && this.#hash !== undefined ? this.#hash.copy().digest('hex') : null;
  }

  checkUnchanged(): Promise<void> {
    return this.#stored.checkUnchanged();
  }

  close(): void {
    this.#isClosed = true;
    this.#stream.destroy();
    for (const stream of this.#ranges) stream.destroy();
  }

  #begin(): Promise<Beginning> {
    this.#beginning ??= this.#readBeginning();
    return this.#beginning;
  }

  async #readBeginning(): Promise<Beginning> {
    const head: Buffer[] = [];
    // A pipe may deliver these bytes one by one.
    for (let size = 0; size < CODEC_START_BYTES; ) {
      const { value, done } = await this.#raw.next();
      if (done) break;
      head.push(Buffer.from(value));
      size += value.length;
    }
    const first = Buffer.concat(head);
    this.#codec = codecOfBytes(first);
    return { codec: this.#codec, first };
  }

  /** The bytes of a range of the file, of which `size` are wanted. */
  async #readRange(stream: ByteStream, size: number, isKept = false): Promise<Buffer> {
    const bytes = Buffer.allocUnsafeSlow(size);
    let at = 0;
    if (!isKept) this.#ranges.add(stream);
    try {
      for await (const chunk of this.#read(stream)) at += chunk.copy(bytes, at);
    } finally {
      this.#ranges.delete(stream);
    }
    if (this.#isClosed && !isKept) throw new Error('the file was closed before its end was read');
    // A file that has become shorter.
    if (at < size) await this.checkUnchanged();
    if (at < size) throw unreadable(this.name, new Error('it is shorter than it was'), 'stopped');
    return bytes;
  }

  async *#content(): AsyncGenerator<Buffer> {
    const { codec, first } = await this.#begin();
    const content = codec.decompress(followedBy(first, this.#raw), this.name, this.#maxWindowBytes);
    if (this.#encoding === undefined) yield* content;
    else yield* transcode(expectUtf16(content, this.#encoding, this.name), this.#encoding, this.name);
  }

  async *#read(stream: ByteStream): AsyncGenerator<Buffer> {
    let isBegun = false;
    try {
      for await (const chunk of stream) {
        isBegun = true;
        this.#hash?.update(chunk);
        yield chunk;
      }
      this.#isRead = true;
    } catch (cause) {
      if (cause instanceof RowcastError) throw cause;
      const severity = isBegun ? 'stopped' : 'refused';
      throw unreadable(this.name, cause as NodeJS.ErrnoException, severity); // errors of streams
    }
  }
}

async function* followedBy(first: Buffer, others: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  yield* others;
}

/** After this time without data, the rows read so far are sent as an incomplete batch. */
const IDLE_MS = 200;

/** Passes chunks on, and an empty one whenever none has arrived for a while. */
async function* withIdle(chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
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
