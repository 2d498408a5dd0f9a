import type { Writable } from 'node:stream';
import { ClosedPipe, type Sink } from './sink.ts';
import { unwritable } from './target.ts';

/**
 * Writes to a stream.
 *
 * @param isOwn whether the stream was opened here and must be closed
 */
export function streamSink(name: string, stream: Writable, isOwn: boolean): Sink {
  // Reported by the failed write. Without a listener, the error would end the process.
  stream.on('error', () => {});
  const close = async (): Promise<void> => {
    // The stream is already closed if the reader has closed the pipe.
    if (isOwn && !stream.closed) await new Promise(done => stream.once('close', done).end());
  };
  return {
    write: bytes =>
      new Promise((done, fail) => {
        // Another stream may hold them for longer.
        stream.write(Buffer.from(bytes), (cause: NodeJS.ErrnoException | null | undefined) => {
          if (!cause) done();
          else
            fail(cause.code === 'EPIPE' ? new ClosedPipe(cause.message) : unwritable(name, cause, 'stopped'));
        });
      }),
    close,
    abandon: close,
  };
}
