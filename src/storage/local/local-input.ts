import { constants, open as openDescriptor, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { RowcastError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import { CHUNK_BYTES, inputChanged, type StoredInput, unreadable } from '../source.ts';
import { streamInput } from '../stream-input.ts';
import { FileBytes } from './file-bytes.ts';

/** Opens a path for reading, so that an unreadable file is reported before the run starts. */
export async function openInput(input: string): Promise<StoredInput> {
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
  stream: new FileBytes(Promise.resolve(handle), { size }),
  streamFrom: (offset, end) => new FileBytes(open(name), { start: offset, end, size }),
  async checkUnchanged() {
    const now = await stat(name).catch((cause: NodeJS.ErrnoException) => {
      throw unreadable(name, cause);
    });
    if (now.size !== size || now.mtimeMs !== mtimeMs || now.ino !== ino)
      throw inputChanged(name, [size, now.size]);
  },
});
