import { createHash } from 'node:crypto';
import { constants, open as openDescriptor } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { RowcastError } from '../errors.ts';
import { CHUNK_BYTES, type Source, StreamSource, unreadable } from './source.ts';

/**
 * Opens a file, or stdin for `-`. Gzip is detected by the first bytes, not by the name.
 *
 * @param checksum whether `sha256` will be called
 * @throws RowcastError `no_such_file`, `unreadable_input`
 */
export async function openSource(input: string, checksum = false): Promise<Source> {
  const hash = checksum ? createHash('sha256') : undefined;
  if (input === '-') return new StreamSource('stdin', process.stdin, hash);
  const refuse = (cause: NodeJS.ErrnoException): never => {
    throw unreadable(input, cause);
  };
  const found = await stat(input).catch(refuse);
  if (found.isDirectory())
    throw new RowcastError('unreadable_input', 'the input is a folder', {
      location: { file: input },
      hint: 'Give one CSV file.',
    });
  // Opened now, so that an unreadable file is reported before the run starts.
  if (found.isFile()) {
    const handle = await open(input).catch(refuse);
    return new StreamSource(input, handle.createReadStream({ highWaterMark: CHUNK_BYTES }), undefined, found);
  }
  // Reading a pipe waits for its writer. As a socket, it blocks neither the thread pool nor the exit.
  if (found.isFIFO()) {
    // Without a writer, open(2) would block such a thread. With O_NONBLOCK, the first read waits instead.
    const flags = constants.O_RDONLY | constants.O_NONBLOCK;
    const fd = await promisify(openDescriptor)(input, flags).catch(refuse);
    return new StreamSource(input, new Socket({ fd, writable: false }), hash);
  }
  const handle = await open(input).catch(refuse);
  return new StreamSource(input, handle.createReadStream({ highWaterMark: CHUNK_BYTES }), hash);
}
