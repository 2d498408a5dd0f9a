import { constants, open as openDescriptor, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { RowcastError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { type ByteStream, CHUNK_BYTES, inputChanged, type StoredInput, unreadable } from '../source.ts';
import { streamInput } from '../streams.ts';

/** Opens a path for reading, so that an unreadable file is reported before the run starts. */
export async function openLocalInput(input: string): Promise<StoredInput> {
  const refuse = (cause: NodeJS.ErrnoException): never => {
    throw unreadable(input, cause);
  };
  const found = await stat(input).catch(refuse);
  if (found.isDirectory())
    throw new RowcastError('unreadable_input', 'the input is a folder', {
      location: { file: input },
      hint: `Give a file; score, plan and train also take its files as a quoted pattern: ${shellWord(join(input, '*.csv'))}`,
    });
  if (found.isFIFO()) return streamInput(input, resolve(input), await openFifo(input).catch(refuse));
  const handle = await open(input).catch(refuse);
  if (found.isFile()) return fileInput(input, handle, found);
  return streamInput(input, resolve(input), handle.createReadStream({ highWaterMark: CHUNK_BYTES }));
}

/** Reading a pipe waits for its writer. As a socket, it blocks neither the thread pool nor the exit. */
async function openFifo(path: string): Promise<Readable> {
  // Without a writer, open(2) would block a thread of the pool. With O_NONBLOCK, the first read waits instead.
  const fd = await promisify(openDescriptor)(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, writable: false });
}

const fileInput = (name: string, handle: FileHandle, { size, mtimeMs, ino }: Stats): StoredInput => ({
  name,
  path: resolve(name),
  version: { size, modified: mtimeMs },
  stream: fileBytes(Promise.resolve(handle), { size }),
  streamFrom: (offset, end) => fileBytes(open(name), { start: offset, end, size }),
  async checkUnchanged() {
    const now = await stat(name).catch((cause: NodeJS.ErrnoException) => {
      throw unreadable(name, cause);
    });
    if (now.size !== size || now.mtimeMs !== mtimeMs || now.ino !== ino)
      throw inputChanged(name, [size, now.size]);
  },
});

/** Large enough that the calls cost little next to what is done with the bytes. */
const READ_BYTES = 256 << 10;
/** Enough for what is appended to a small file meanwhile. */
const SMALLEST_READ_BYTES = 4 << 10;

/**
 * The bytes of a file from an offset. They are read into the same buffer again and again: left to the garbage
 * collector, a buffer for each read would take a tenth of the time of a run with a local model.
 *
 * @param handle closed here; if opening the file fails, so does reading it
 * @param range in bytes; `size` is what the file probably has, so that a small one is read into a small buffer
 */
export function fileBytes(
  handle: Promise<FileHandle>,
  {
    start = 0,
    end = Number.POSITIVE_INFINITY,
    size = 0,
  }: { start?: number; end?: number | undefined; size?: number } = {},
): ByteStream {
  // Files of /proc have no size, and content.
  const expected = Math.min(end, size === 0 ? READ_BYTES : size) - start;
  let isClosed = false;
  handle.catch(() => {});
  const destroy = (): void => {
    if (isClosed) return;
    isClosed = true;
    // Nothing was written, so closing it loses nothing.
    handle.then(file => file.close()).catch(() => {});
  };
  async function* read(): AsyncGenerator<Buffer> {
    try {
      const file = await handle;
      const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, Math.max(SMALLEST_READ_BYTES, expected)));
      for (let position = start; position < end; ) {
        if (isClosed) throw new Error('the file was closed before its end was read');
        const length = Math.min(buffer.length, end - position);
        const { bytesRead } = await file.read(buffer, 0, length, position);
        if (bytesRead === 0) return;
        position += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      destroy();
    }
  }
  // A read that is in progress ends before the file is closed; a later one fails.
  return { [Symbol.asyncIterator]: read, destroy };
}
