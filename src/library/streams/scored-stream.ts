import { Readable } from 'node:stream';
import type { Sink, Target } from '../../storage/target.ts';
import { STREAM } from './byte-input.ts';

/** Buffered bytes from which on the run waits for its reader. */
const BUFFER_BYTES = 1 << 18;

/** What a run needs of the stream that it writes to. */
export interface StreamOutput {
  target: Target;
  /** Aborted when the stream is destroyed: nobody reads it any more. */
  destroyed: AbortSignal;
}

/** The output of a run as a stream. It ends when the run has finished, and fails when the run does. */
export class ScoredStream<T> extends Readable {
  /** What the run came to; rejects if it fails, which nobody has to handle, because the stream fails too. */
  readonly summary: Promise<T>;
  readonly #destroyed = new AbortController();
  /** Continues a write that waits for the reader. */
  #resume = (): void => {};

  /** @param run begins at once; writes wait for the reader */
  constructor(run: (output: StreamOutput) => Promise<T>) {
    super({ highWaterMark: BUFFER_BYTES });
    const target: Target = {
      name: STREAM,
      path: undefined,
      isStdout: false,
      usedFiles: () => [],
      open: async () => this.#sink(),
    };
    this.summary = run({ target, destroyed: this.#destroyed.signal });
    this.summary.then(
      () => this.push(null),
      error => this.destroy(error),
    );
  }

  override _read(): void {
    this.#resume();
  }

  /** The stream is closed when the run has let go of everything. */
  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#destroyed.abort(error ?? new Error('the stream was destroyed'));
    this.#resume();
    const close = (): void => done(error);
    this.summary.then(close, close);
  }

  #sink(): Sink {
    return {
      write: async bytes => {
        this.#throwIfDestroyed();
        // The run reuses its memory.
        if (this.push(Buffer.from(bytes))) return;
        await new Promise<void>(resolve => {
          this.#resume = resolve;
        });
        this.#throwIfDestroyed();
      },
      async close() {},
      async abandon() {},
    };
  }

  #throwIfDestroyed(): void {
    if (this.destroyed) throw this.#destroyed.signal.reason;
  }
}
