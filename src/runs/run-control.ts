import { setMaxListeners } from 'node:events';
import { RowcastError } from '../base/errors.ts';
import { Interrupted } from '../base/interrupted.ts';

type AtExit = (error: unknown, exitCode?: number) => void;

/** Stops a run from outside: at its caller's request, or because something next to it has failed. */
export class RunControl {
  readonly #all = new AbortController();
  readonly #now = new AbortController();
  readonly #given: AbortSignal | undefined;
  readonly #follow = (): void => this.#all.abort(this.#given?.reason);
  #atExit: AtExit | undefined;

  /**
   * @param given the signal of the caller
   * @throws RowcastError `bad_option`
   */
  constructor(given?: AbortSignal) {
    if (given !== undefined && !(given instanceof AbortSignal))
      throw new RowcastError('bad_option', 'signal: expected an AbortSignal');
    // Everything that a run does at the same time listens to it.
    setMaxListeners(0, this.#all.signal);
    this.#given = given;
    if (given === undefined) return;
    // A program may pass one signal to many calls at the same time; each removes its listener in `end`.
    setMaxListeners(0, given);
    if (given.aborted) this.#follow();
    else given.addEventListener('abort', this.#follow);
  }

  /** Aborted when the run is to be stopped: in-flight requests get up to ten seconds, then the checkpoint is saved. */
  get signal(): AbortSignal {
    return this.#all.signal;
  }

  /** Aborted if nobody waits for the rows in flight. */
  get cancel(): AbortSignal {
    return this.#now.signal;
  }

  /** Nobody wants the rows any more. */
  abandon(reason: unknown): void {
    this.#all.abort(reason);
    this.#now.abort();
  }

  /** The run fails with this error, unless it was stopped before. */
  fail(error: RowcastError): void {
    this.abandon(new RunFailure(error));
  }

  /** Sets what `exitNow` calls. */
  atExit(act: AtExit | undefined): void {
    this.#atExit = act;
  }

  /** The process is about to end, so the run writes how it has ended at once. */
  exitNow(error: unknown, exitCode?: number): void {
    this.#atExit?.(error, exitCode);
  }

  /** Forgets the caller's signal, which may live for longer. */
  end(): void {
    this.#given?.removeEventListener('abort', this.#follow);
  }
}

/** Something that failed next to a run, as the reason of the signal that stops it. */
class RunFailure {
  readonly error: RowcastError;

  constructor(error: RowcastError) {
    this.error = error;
  }
}

/** The error of a run that was stopped by `fail`; any other error stays as it is. */
export const failureOf = (thrown: unknown): unknown =>
  thrown instanceof Interrupted && thrown.cause instanceof RunFailure ? thrown.cause.error : thrown;
