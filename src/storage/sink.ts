import { constants, open as openDescriptor } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { diskFiles } from './local/durable-files.ts';
import { fileStart, gzipPartial, plainPartial } from './local/partial-file.ts';
import { partialOf, type Target, unwritable } from './target.ts';

/** A destination for bytes, written in order, without resume. */
export interface Sink {
  /** @throws RowcastError `unwritable_output`; ClosedPipe if the reader has closed the pipe */
  write(bytes: Buffer): Promise<void>;
  /** Finishes the output: a file now appears under its name. */
  close(): Promise<void>;
  /** Discards the output: a file does not appear. */
  abandon(): Promise<void>;
}

/** The reader of a pipe has closed it, as `head` does. Not a failure. */
export class ClosedPipe extends Error {
  override readonly name = 'ClosedPipe';
}

/**
 * Opens an output.
 *
 * @param name the output as given by the user, for messages
 * @param stop aborts waiting for the reader of a FIFO
 * @throws RowcastError `unwritable_output`
 */
export async function openSink(target: Target, name: string, stop?: AbortSignal): Promise<Sink> {
  if (target.kind === 'stdout') return streamSink('stdout', process.stdout);
  const refuse = (cause: Error): never => {
    throw unwritable(name, cause);
  };
  // Writes to a pipe wait for its reader. As a socket, they do not block the thread pool or the exit of the process.
  if (target.kind === 'device' && target.isFifo) {
    const fd = await openFifo(target.path, stop).catch(refuse);
    return streamSink(name, new Socket({ fd, readable: false, writable: true }), true);
  }
  if (target.kind === 'file') return fileSink(name, target.path).catch(refuse);
  const file = await open(target.path, 'w').catch(refuse);
  const close = (): Promise<void> => file.close();
  return { write: bytes => writeAll(file, bytes, name), close, abandon: close };
}

const FIFO_MS = 50;

/** Waits for a reader by polling: a thread blocked in open(2) would keep the process from exiting. */
async function openFifo(path: string, stop: AbortSignal | undefined): Promise<number> {
  const { O_WRONLY, O_NONBLOCK } = constants;
  for (;;) {
    try {
      return await promisify(openDescriptor)(path, O_WRONLY | O_NONBLOCK);
    } catch (cause) {
      // ENXIO: it has no reader (open(2)).
      if ((cause as NodeJS.ErrnoException).code !== 'ENXIO' || stop?.aborted) throw cause;
    }
    await delay(FIFO_MS, undefined, { ...(stop && { signal: stop }) }).catch(() => {}); // stopped: one last attempt
  }
}

/** Uncompressed size of a gzip member: large compared to deflate's window of 32 KiB, so compression hardly suffers. */
const MEMBER_BYTES = 1 << 20;

/** A file that appears complete or not at all, durably; gzip if its name ends in `.gz`. It cannot be resumed. */
async function fileSink(name: string, path: string): Promise<Sink> {
  const partial = partialOf(path);
  const file = await diskFiles.open(partial, 0o600);
  await file.truncate(0);
  const output = (/\.gz$/i.test(path) ? gzipPartial : plainPartial)(file, fileStart);
  let memberBytes = 0;
  const append = async (bytes: Buffer): Promise<void> => {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + MEMBER_BYTES - memberBytes);
      at += part.length;
      memberBytes = (memberBytes + part.length) % MEMBER_BYTES;
      await output.append({ bytes: part, endsMember: memberBytes === 0, mark: undefined });
    }
  };
  const finish = async (): Promise<void> => {
    await output.append({ bytes: Buffer.alloc(0), endsMember: true, mark: undefined });
    await output.flush();
    await output.sync();
  };
  const stopped = (cause: Error): never => {
    throw unwritable(name, cause, 'stopped');
  };
  return {
    write: bytes => append(bytes).catch(stopped),
    async close() {
      await finish().catch(stopped);
      await output.close().catch(stopped);
      await diskFiles.rename(partial, path).catch(stopped);
      await diskFiles.syncFolder(dirname(path)).catch(stopped);
    },
    async abandon() {
      // The failure that led here is reported already.
      await output.close().catch(() => {});
      await diskFiles.remove(partial).catch(() => {});
    },
  };
}

/** @param isOwn whether the stream was opened here and must be closed */
function streamSink(name: string, stream: Writable, isOwn = false): Sink {
  // Reported by the failed write. Without a listener, the error would end the process.
  stream.on('error', () => {});
  const close = async (): Promise<void> => {
    // It is already closed if the reader has closed the pipe.
    if (isOwn && !stream.closed) await new Promise(done => stream.once('close', done).end());
  };
  return {
    write: bytes =>
      new Promise((done, fail) => {
        stream.write(bytes, (cause: NodeJS.ErrnoException | null | undefined) => {
          if (!cause) done();
          else
            fail(cause.code === 'EPIPE' ? new ClosedPipe(cause.message) : unwritable(name, cause, 'stopped'));
        });
      }),
    close,
    abandon: close,
  };
}

async function writeAll(file: FileHandle, bytes: Buffer, name: string): Promise<void> {
  try {
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
  } catch (cause) {
    throw unwritable(name, cause as Error, 'stopped'); // errors of fs
  }
}
