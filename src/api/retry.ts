import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from './failures.ts';

export interface RetryOptions {
  /** Calls in all, the first included. */
  tries: number;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Told before each wait, in milliseconds. */
  onRetry?: ((failure: CallError, wait: number) => void) | undefined;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** A timer set for longer goes off at once (Node, `setTimeout`). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Calls until it succeeds, the failure is one that trying again cannot mend, or the tries are used up.
 *
 * @throws CallError the last failure
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { tries, signal, onRetry } = options;
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (failure) {
      const isLast = attempt >= tries || signal.aborted;
      if (isLast || !(failure instanceof CallError) || !isWorthTrying(failure)) throw failure;
      const wait = waitBefore(attempt, failure.retryAfter, Math.random());
      onRetry?.(failure, wait);
      await sleep(wait, undefined, { signal });
    }
  }
}

function isWorthTrying({ kind }: CallError): boolean {
  return kind === 'outage' || kind === 'fault' || kind === 'wrong_answer';
}

/**
 * Milliseconds before the next try: exponential backoff with full jitter (AWS Architecture Blog, "Exponential
 * Backoff And Jitter"), and never sooner than the service asked.
 *
 * @param attempt tries so far, 1-based
 * @param retryAfter seconds that the service asked for
 * @param random in [0, 1)
 */
export function waitBefore(attempt: number, retryAfter: number | undefined, random: number): number {
  const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
  return Math.min(LONGEST_TIMER_MS, (retryAfter ?? 0) * 1000 + random * ceiling);
}
