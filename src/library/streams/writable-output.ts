import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import type { RunControl } from '../../runs/run-control.ts';
import { type Sink, type Target, unwritable } from '../../storage/target.ts';
import { STREAM } from './byte-input.ts';

/**
 * A stream of the caller as the output of a run. It is ended when the run is complete; stdout stays open.
 *
 * @param stop fails as soon as the stream is closed, and ends waiting for it to finish
 */
export function writableOutput(stream: Writable, stop: RunControl) {
  let isOpen = false;
  const onClose = (): void => {
    if (!stream.writableFinished)
      stop.fail(failed(stream.errored ?? new Error('it was closed'), isOpen ? 'stopped' : 'refused'));
  };
  const isStandard = stream === process.stdout || stream === process.stderr;
  if (!stream.listeners('error').includes(onError)) stream.on('error', onError);
  if (!isStandard) stream.once('close', onClose);
  return {
    target: {
      name: STREAM,
      path: undefined,
      isStdout: stream === process.stdout,
      usedFiles: () => [],
      async open() {
        if (!stream.writable) throw unwritable(STREAM, new Error('it is not writable any more'));
        isOpen = true;
        return sinkOf(stream, isStandard, stop.signal);
      },
    } satisfies Target,
    /** Destroys the stream, so that half of an output does not look like a whole one. */
    fail(error: RowcastError): void {
      if (!isStandard) stream.destroy(error);
    },
  };
}

/** The run that fails reports it. Without a listener, the error would end the process. */
const onError = (): void => {};

function sinkOf(stream: Writable, isStandard: boolean, stop: AbortSignal): Sink {
  return {
    write: bytes =>
      new Promise((done, fail) => {
        // A stream that is destroyed may never call back.
        const onClose = (): void => fail(failed(stream.errored ?? new Error('it was closed')));
        stream.once('close', onClose);
        // The stream may hold the bytes for longer.
        stream.write(Buffer.from(bytes), cause => {
          stream.off('close', onClose);
          if (cause) fail(failed(cause));
          else done();
        });
      }),
    async close() {
      if (isStandard) return;
      stream.end();
      await finished(stream, { readable: false, signal: stop }).catch(cause => {
        throw stop.aborted ? new Interrupted(stop) : failed(cause);
      });
    },
    async abandon() {},
  };
}

/** An error of the stream that has a code of ours stays as it is. */
const failed = (cause: Error, severity: 'stopped' | 'refused' = 'stopped'): RowcastError =>
  cause instanceof RowcastError ? cause : unwritable(STREAM, cause, severity);
