import { Readable } from 'node:stream';
import type { Summary } from '../../runs/summary/summary.ts';
import type { Sink, Target } from '../../storage/target.ts';
import type { ScoreStreamOptions } from '../options/library-options.ts';
import { scoreRun } from '../score.ts';
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

/**
 * Scores a CSV, and returns the scored CSV as a stream, which is written as fast as it is read. It ends when the run
 * has finished, and fails with a RowcastError when the run does: `pipeline` then removes nothing half-written for you,
 * so write to a file with `score` where you can. A stream that is destroyed early stops its run.
 *
 * @returns the stream; its `summary` says what the run came to, and rejects as `score` does
 */
export function scoreStream(options: ScoreStreamOptions): Readable & { summary: Promise<Summary> } {
  return new ScoredStream(({ target, destroyed }) =>
    scoreRun('scoreStream', options, control => {
      const abandon = (): void => control.abandon(destroyed.reason);
      if (destroyed.aborted) abandon();
      else destroyed.addEventListener('abort', abandon);
      return target;
    }),
  );
}
