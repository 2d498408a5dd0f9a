import { Readable } from 'node:stream';
import { RowcastError } from '../../base/errors.ts';
import { DecodedSource } from '../../storage/decoded-source.ts';
import type { ByteStream, Source } from '../../storage/source.ts';

/** What a stream is called in messages and in the summary. */
export const STREAM = 'stream';

/**
 * A stream of the caller as the source of a run, compressed or not; it is read as fast as rows are written, and only
 * once.
 */
export function streamInputSource(
  stream: ByteStream,
  { checksum, encoding }: { checksum: boolean; encoding?: string | undefined },
): Source {
  const stored = {
    name: STREAM,
    path: STREAM,
    version: { size: null, modified: null },
    stream,
    streamFrom: undefined,
    async checkUnchanged() {},
  };
  return new DecodedSource(stored, checksum, { encoding });
}

/** The chunks of an input that is no path: those of an iterable, or bytes as a single chunk. */
export function byteChunksOf(input: unknown): AsyncIterable<unknown> | undefined {
  if (input instanceof Uint8Array) return eachOf([input]);
  if (isIterable<AsyncIterable<unknown>>(input, Symbol.asyncIterator)) return input;
  return isIterable<Iterable<unknown>>(input, Symbol.iterator) ? eachOf(input) : undefined;
}

async function* eachOf(chunks: Iterable<unknown>): AsyncGenerator<unknown> {
  yield* chunks;
}

const isIterable = <T>(input: unknown, symbol: symbol): input is T =>
  typeof input === 'object' && input !== null && symbol in input;

/**
 * The chunks of an iterable; `destroy` ends them even while the iterable does not respond, and if it is not read at
 * all.
 */
export function byteStream(input: AsyncIterable<unknown>): ByteStream {
  // Errors before the first read are reported to the reader. Without a listener, they would end the process.
  if (input instanceof Readable) input.on('error', () => {});
  let iterator: AsyncIterator<unknown> | undefined;
  let isOver = false;
  let end = (): void => {};
  const next = (from: AsyncIterator<unknown>) =>
    new Promise<IteratorResult<unknown>>((resolve, reject) => {
      end = () => resolve({ done: true, value: undefined });
      if (isOver) end();
      else
        from.next().then(resolve, cause => reject(cause instanceof Error ? cause : new Error(String(cause))));
    });
  return {
    async *[Symbol.asyncIterator]() {
      iterator = input[Symbol.asyncIterator]();
      for (;;) {
        const { done, value } = await next(iterator);
        if (done) break;
        yield bytesOf(value);
      }
      // Its end is not the end of the input.
      if (isOver) throw new Error('it was closed');
      isOver = true;
    },
    destroy() {
      if (isOver) return;
      isOver = true;
      end();
      if (input instanceof Readable) input.destroy();
      // May wait for as long as the iterable does.
      else
        Promise.resolve()
          .then(() => (iterator ?? input[Symbol.asyncIterator]()).return?.())
          .catch(() => {});
    },
  };
}

function bytesOf(chunk: unknown): Buffer {
  if (chunk instanceof Uint8Array) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  throw new RowcastError(
    'bad_option',
    `input: expected bytes, got ${chunk === null ? 'null' : typeof chunk}`,
    {
      severity: 'stopped',
      hint: 'Give a stream or an iterable of Buffers or Uint8Arrays; a stream with setEncoding gives text.',
    },
  );
}
