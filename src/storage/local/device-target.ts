import { constants, open as openDescriptor } from 'node:fs';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Sink } from '../sink.ts';
import { streamSink } from '../stream-sink.ts';
import { type Target, unwritable } from '../target.ts';

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
