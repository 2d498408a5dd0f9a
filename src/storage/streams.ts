import type { Readable, Writable } from 'node:stream';
import { RowcastError } from '../base/errors.ts';
import { ClosedPipe } from '../base/interrupted.ts';
import { sanitizeCells } from '../base/sanitize.ts';
import type { Backend } from './backend.ts';
import type { StoredInput } from './source.ts';
import { type Sink, type Target, unwritable } from './target.ts';

/** What is read as it arrives, and only once: a pipe, a socket, a device. */
export const streamInput = (name: string, path: string, stream: Readable): StoredInput => ({
  name,
  path,
  version: { size: null, modified: null },
  // Errors before the first read are reported to the reader. Without a listener, they would end the process.
  stream: stream.on('error', () => {}),
  streamFrom: undefined,
  checkUnchanged: async () => {},
});

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

/** Stdin and stdout. */
export const standardStreams: Backend = {
  openInput: async () => streamInput('stdin', 'stdin', process.stdin),
  resolveTarget: async () => stdout,
  versionOf: async () => undefined,
  isPattern: async () => false,
  namesMatching: async () => [],
  document: () => {
    throw new Error('a stream is no document');
  },
  sharedFolder: () => {
    throw new RowcastError('usage', '-: a stream is no folder', { hint: 'Name the folder of the run.' });
  },
};

export const stdout: Target = {
  name: 'stdout',
  path: undefined,
  isStdout: true,
  usedFiles: (what, option) => [{ at: 1, what: `${what} (stdout)`, option }],
  open: async () => {
    const sink = streamSink('stdout', process.stdout, false);
    return process.stdout.isTTY ? forTerminal(sink) : sink;
  },
};

/** Cells of a file are shown on a terminal, which must not obey them. A pipe gets every byte. */
function forTerminal(sink: Sink): Sink {
  const decoder = new TextDecoder();
  return {
    ...sink,
    write: bytes => sink.write(Buffer.from(sanitizeCells(decoder.decode(bytes, { stream: true })))),
  };
}
