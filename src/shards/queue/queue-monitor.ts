import { RowcastError } from '../../base/errors.ts';

/** What is said about a queue that cannot be reached for a while. */
export interface ContactObserver {
  onLost?: (error: RowcastError) => void;
  onFound?: () => void;
}

/** Calls a queue whose server may be restarted at any time, and reports only when that begins and ends. */
export class QueueMonitor {
  readonly #observer: ContactObserver;
  #isLost = false;

  constructor(observer: ContactObserver) {
    this.#observer = observer;
  }

  /** @returns undefined if the queue cannot be reached */
  async call<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await call();
      if (this.#isLost) this.#observer.onFound?.();
      this.#isLost = false;
      return answer;
    } catch (error) {
      if (!(error instanceof RowcastError) || !error.code.startsWith('queue_')) throw error;
      if (!this.#isLost) this.#observer.onLost?.(error);
      this.#isLost = true;
      return undefined;
    }
  }
}
