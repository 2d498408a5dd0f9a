import { constants, open as openDescriptor } from 'node:fs';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { RowcastError } from '../../base/errors.ts';
import { compressedWriter } from '../codecs/codecs.ts';
import { readTail } from '../digests.ts';
import { diskFiles, type Files } from '../durable-files.ts';
import type { Extent } from '../partial-file.ts';
import { streamSink } from '../streams.ts';
import { type Sink, type Target, unwritable } from '../target.ts';
import { fileAccessOf } from './access.ts';
import { LocalOutput } from './local-output.ts';
import { lockOf } from './locks/lock-file.ts';
import { partialOf } from './sibling-path.ts';

/** A target that is a regular file. */
export interface FileTarget extends Target {
  readonly path: string;
  readonly durable: LocalOutput;
  readonly isPrivate: boolean;
}

/**
 * A regular file: it appears complete or not at all, durably, and compressed if its name says so.
 *
 * @param name as given, for messages
 * @param path with links followed
 * @param isPrivate whether only its owner may read it, whatever the umask allows
 * @param files writes a durable output
 */
export const fileTarget = (name: string, path: string, isPrivate = false, files?: Files): FileTarget => ({
  name,
  path,
  durable: new LocalOutput(path, { name, isPrivate, ...(files && { files }) }),
  isPrivate,
  isStdout: false,
  usedFiles: (what, option) => [
    { at: path, what, option },
    { at: partialOf(path), what: `the partial file of ${what}`, option, isDerived: true },
    { at: lockOf(path), what: `the lock of ${what}`, option, isDerived: true, isFamily: true },
  ],
  open: () =>
    openFile(name, path, isPrivate).catch(cause => {
      throw unwritable(name, cause);
    }),
});

async function openFile(name: string, path: string, isPrivate: boolean): Promise<Sink> {
  const partial = partialOf(path);
  const file = await diskFiles.open(partial, fileAccessOf(path, isPrivate));
  await file.truncate(0);
  const writer = compressedWriter(path, file);
  const stopped = (cause: Error): never => {
    throw cause instanceof RowcastError ? cause : unwritable(name, cause, 'stopped');
  };
  return {
    write: bytes => writer.write(bytes).catch(stopped),
    async close() {
      const written = await writer.finish().catch(stopped);
      await checkWhole(partial, written);
      await writer.close().catch(stopped);
      await diskFiles.rename(partial, path).catch(stopped);
      await diskFiles.syncFolder(dirname(path)).catch(stopped);
    },
    async abandon() {
      // The failure that led here is reported already.
      await writer.close().catch(() => {});
      await diskFiles.remove(partial).catch(() => {});
    },
  };
}

/**
 * Checks that no other program has modified a file while it was written.
 *
 * @throws RowcastError `output_lost`
 */
async function checkWhole(path: string, { bytes, tail }: Extent<true>): Promise<void> {
  const size = await diskFiles.size(path);
  const found = size === bytes ? await readTail(diskFiles, path, bytes) : undefined;
  if (found?.digest() === tail.digest()) return;
  throw new RowcastError('output_lost', 'another program moved or modified the file while it was written', {
    severity: 'stopped',
    location: { file: path },
    hint: 'Make sure that nothing else writes to it, then run the same command again.',
  });
}

/** A FIFO or a device, which is written directly. Opening it twice does no harm, so its path is not compared. */
export const deviceTarget = (path: string, isFifo: boolean): Target => ({
  name: path,
  path: undefined,
  isStdout: false,
  usedFiles: () => [],
  open: stop =>
    (isFifo ? openFifo(path, stop) : openDevice(path)).catch(cause => {
      throw unwritable(path, cause);
    }),
});

/** Writes to a pipe wait for its reader. As a socket, they do not block the thread pool or the exit of the process. */
async function openFifo(path: string, stop: AbortSignal | undefined): Promise<Sink> {
  const fd = await waitForReader(path, stop);
  return streamSink(path, new Socket({ fd, readable: false, writable: true }), true);
}

const FIFO_MS = 50;

/** Waits for a reader by polling: a thread blocked in open(2) would keep the process from exiting. */
async function waitForReader(path: string, stop: AbortSignal | undefined): Promise<number> {
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

async function openDevice(path: string): Promise<Sink> {
  const file = await open(path, 'w');
  const close = (): Promise<void> => file.close();
  return {
    async write(bytes) {
      try {
        for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
      } catch (cause) {
        throw unwritable(path, cause as Error, 'stopped'); // errors of fs
      }
    },
    close,
    abandon: close,
  };
}
