import { setTimeout as sleep } from 'node:timers/promises';
import { StoreError } from './store-error.ts';

/** For how long requests are repeated while a store is unavailable, and who is told about it. */
export interface OutageLimits {
  /** In seconds. */
  maxOutage: number;
  /** Called before each wait, with its length in milliseconds. */
  onRetry?: ((error: StoreError, name: string, wait: number) => void) | undefined;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 20_000;

/** Waits between attempts of which none has succeeded: longer each time, until the outage has lasted too long. */
export class Patience {
  readonly #limits: OutageLimits;
  readonly #name: string;
  readonly #renew: () => void;
  #failedSince: number | undefined;
  #failures = 0;
  #hasRenewed = false;

  /**
   * @param name of the object, for messages
   * @param renew forgets credentials that have expired
   */
  constructor(limits: OutageLimits, name: string, renew: () => void = () => {}) {
    this.#limits = limits;
    this.#name = name;
    this.#renew = renew;
  }

  /** Something has succeeded, so the next failure is the first one. */
  succeeded(): void {
    this.#failedSince = undefined;
    this.#failures = 0;
    this.#hasRenewed = false;
  }

  /**
   * Waits until the next attempt.
   *
   * @throws the error, if another attempt cannot help or would come too late
   */
  async failed(error: unknown): Promise<void> {
    if (!(error instanceof StoreError)) throw error;
    if (error.failure === 'expired' && !this.#hasRenewed) {
      this.#hasRenewed = true;
      this.#renew();
      return;
    }
    if (error.failure !== 'unavailable') throw error;
    const now = performance.now();
    this.#failedSince ??= now;
    const left = this.#limits.maxOutage * 1000 - (now - this.#failedSince);
    if (left <= 0) throw error;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures++);
    // Processes that failed together do not come back together.
    const wait = Math.min(left, longest * (0.5 + Math.random() / 2));
    this.#limits.onRetry?.(error, this.#name, wait);
    await sleep(wait);
  }
}

/** Calls until it succeeds or patience ends. */
export async function patiently<T>(patience: Patience, act: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      const result = await act();
      patience.succeeded();
      return result;
    } catch (error) {
      await patience.failed(error);
    }
}
