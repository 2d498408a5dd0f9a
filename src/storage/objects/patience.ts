import { setTimeout as sleep } from 'node:timers/promises';
import { faultOf } from '../../base/connection-error.ts';
import { unlessStopped } from '../../base/interrupted.ts';
import { StoreError } from './store-error.ts';

/** For how long requests are repeated while a store is unavailable, and who is told about it. */
export interface OutageLimits {
  /** In seconds. */
  maxOutage: number;
  /** Called before each wait, with its length in milliseconds. */
  onRetry?: ((error: StoreError, name: string, wait: number) => void) | undefined;
  /** Aborted when the command is to end: then each request is made once more at most. */
  ending?: AbortSignal | undefined;
  /** The hosts, buckets and containers of which a request has succeeded, as `originOf` names them. */
  reached?: Set<string> | undefined;
}

/** What the name of an object begins with, up to its host, bucket or container. */
const originOf = (name: string): string => /^[^:]*:\/\/[^/]*/.exec(name)?.[0] ?? name;

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 20_000;

/** Waits between attempts of which none has succeeded: longer each time, until the outage has lasted too long. */
export class Patience {
  readonly #limits: OutageLimits;
  readonly #name: string;
  readonly #renew: () => void;
  /** Ends the waiting. */
  readonly stop: AbortSignal | undefined;
  #failedSince: number | undefined;
  #failures = 0;
  #hasRenewed = false;

  /**
   * @param name of the object, for messages
   * @param renew forgets credentials that have expired
   * @param stop ends the waiting
   */
  constructor(limits: OutageLimits, name: string, renew: () => void = () => {}, stop?: AbortSignal) {
    this.#limits = limits;
    this.#name = name;
    this.#renew = renew;
    this.stop = stop;
  }

  /** Something has succeeded, so the next failure is the first one. */
  succeeded(): void {
    this.#limits.reached?.add(originOf(this.#name));
    this.#failedSince = undefined;
    this.#failures = 0;
    this.#hasRenewed = false;
  }

  /**
   * Waits until the next attempt.
   *
   * @throws the error, if another attempt cannot help or would come too late
   * @throws Interrupted
   */
  async failed(thrown: unknown): Promise<void> {
    if (!(thrown instanceof StoreError)) throw thrown;
    const error = this.#judged(thrown);
    if (error.failure === 'expired' && !this.#hasRenewed) {
      this.#hasRenewed = true;
      this.#renew();
      return;
    }
    // The store has answered.
    if (error.failure === 'missing' || error.failure === 'changed') this.succeeded();
    if (error.failure !== 'unavailable') throw error;
    const now = performance.now();
    this.#failedSince ??= now;
    const left = this.#limits.maxOutage * 1000 - (now - this.#failedSince);
    const { ending } = this.#limits;
    if (left <= 0 || ending?.aborted) throw error;
    const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#failures++);
    // Processes that failed together do not come back together.
    const wait = Math.min(left, longest * (0.5 + Math.random() / 2));
    this.#limits.onRetry?.(error, this.#name, wait);
    const signals = [this.stop, ending].filter(signal => signal !== undefined);
    const waited = sleep(wait, undefined, { signal: AbortSignal.any(signals) }).catch(() => {}); // what has ended it is seen below
    await unlessStopped(waited, this.stop);
  }

  /** A host that was reached is there: its name is unknown for some time only. */
  #judged(error: StoreError): StoreError {
    const isKnown = this.#limits.reached?.has(originOf(this.#name)) === true;
    return error.failure === 'unreachable' && isKnown && faultOf(error.cause as Error) === 'no host'
      ? new StoreError('unavailable', error.message, error.cause)
      : error;
  }
}

/**
 * Calls until it succeeds or patience ends.
 *
 * @param drop releases a result that comes after the patience was stopped
 */
export async function patiently<T>(
  patience: Patience,
  act: () => Promise<T>,
  drop?: (late: T) => void,
): Promise<T> {
  for (;;)
    try {
      const result = await unlessStopped(act(), patience.stop, drop);
      patience.succeeded();
      return result;
    } catch (error) {
      await patience.failed(error);
    }
}

/** A patience for requests about one object. @param stop ends the waiting */
export type NewPatience = (stop?: AbortSignal) => Patience;
