import { RowcastError } from '../base/errors.ts';
import { unlessStopped } from '../base/interrupted.ts';

/** Calls the callbacks of a program: what one throws, or rejects with, fails what the program is waiting for. */
export class CallbackGuard {
  readonly #fail: (error: RowcastError) => void;
  /** What asynchronous callbacks have returned and is not settled; none of these reject. */
  readonly #pending = new Set<Promise<void>>();

  /** @param fail called when a callback rejects; one that throws does so where it is called */
  constructor(fail: (error: RowcastError) => void) {
    this.#fail = fail;
  }

  guard<T>(name: string, callback: (value: T) => unknown): (value: T) => void {
    return value => {
      let answer: unknown;
      try {
        answer = callback(value);
      } catch (cause) {
        throw failed(name, cause);
      }
      if (!isPromise(answer)) return;
      const settled = Promise.resolve(answer)
        .then(
          () => {},
          cause => this.#fail(failed(name, cause)),
        )
        .finally(() => this.#pending.delete(settled));
      this.#pending.add(settled);
    };
  }

  /**
   * Waits for what asynchronous callbacks are still doing.
   *
   * @throws Interrupted if the signal is aborted, as `fail` should do
   */
  async settled(stop: AbortSignal): Promise<void> {
    while (this.#pending.size > 0) await unlessStopped(Promise.all(this.#pending), stop);
  }
}

const isPromise = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof answer === 'object' && answer !== null && 'then' in answer;

function failed(name: string, cause: unknown): RowcastError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new RowcastError('callback_failed', `${name} failed: ${message}`, { severity: 'stopped', cause });
}
