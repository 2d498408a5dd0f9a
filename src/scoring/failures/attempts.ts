import { setTimeout as sleep } from 'node:timers/promises';
import { durationOf } from '../../base/number-text.ts';
import type { CallError, Failure } from './call-error.ts';
import { type Decision, decide, type FailedAttempt, isShown } from './decide.ts';
import type { FailureKind, FailureTable } from './failure-rule.ts';
import type { RequestCounts, ServiceAvailability } from './service-availability.ts';

/** What all requests to one service share for retries. */
export interface RetryPolicy {
  table: FailureTable;
  /** Availability of the service, over all requests. */
  availability: ServiceAvailability;
  /** How long to keep retrying while the service is unavailable, in seconds. */
  maxOutage: number;
  /** What the user calls it: `--max-outage`; undefined if it cannot be chosen. */
  outageOption?: string | undefined;
  /** Sends no request for this many milliseconds, because the service asked for it. */
  pause(ms: number): void;
  /** Called before each wait for a retry; `wait` is in milliseconds. */
  onRetry(failure: Failure, wait: number): void;
}

/** Node fires timers with a longer delay immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The attempts of one request: remembers what `decide` needs to know, and waits between them. */
export class RequestAttempts {
  readonly #policy: RetryPolicy;
  readonly #counted = new Map<FailureKind, number>();
  #attempts = 0;
  #failingSince: number | undefined;
  #before: RequestCounts;
  #probes = 0;

  constructor(policy: RetryPolicy) {
    this.#policy = policy;
    this.#before = policy.availability.finished;
  }

  succeeded(): void {
    this.#policy.availability.succeeded(performance.now());
  }

  /** Number of failed attempts so far. */
  get count(): number {
    return this.#attempts;
  }

  /** Decides what to do about a failed attempt. */
  failed(failure: Failure, batch: Pick<FailedAttempt, 'canSplit' | 'mayBeAllInvalid' | 'isPart'>): Decision {
    const { table, availability, maxOutage } = this.#policy;
    const now = performance.now();
    this.#failingSince ??= now;
    // Successes before the last failure do not show that the service works now.
    const others = since(this.#before, availability.finished);
    availability.failed(table[failure.kind].service, now);
    this.#before = availability.finished;
    const decision = decide(table, {
      ...batch,
      failure,
      attempts: ++this.#attempts,
      counted: this.#counted.get(failure.kind) ?? 0,
      others,
      probes: this.#probes,
      failingFor: availability.upFor(this.#failingSince, now),
      downFor: availability.downFor(now),
      stalledFor: availability.stalledFor(now),
      maxOutage,
    });
    this.#counted.set(failure.kind, decision.counted);
    this.#probes = decision.probes;
    if (decision.action === 'split' || decision.action === 'reject') availability.markUp();
    return decision;
  }

  /** The error that ends the request. After an outage, its hint says for how long it was retried. */
  ended<T extends CallError>(error: T, { isOutage }: Decision): T {
    const { maxOutage, outageOption: option } = this.#policy;
    if (isOutage) error.hint = [error.hint, outageText(maxOutage, option)].filter(Boolean).join(' ');
    return error;
  }

  /**
   * Waits before the next attempt. While other requests are to show whether the service is up, the wait ends once they
   * have: it is not too short for that, because what they show counts only for the next attempt.
   *
   * @param isPart see `FailedAttempt`
   */
  async wait(
    failure: Failure,
    { action, left }: Decision,
    signal: AbortSignal,
    isPart = false,
  ): Promise<void> {
    const { table, availability, onRetry, pause } = this.#policy;
    const rule = table[failure.kind];
    const isShownUp = (): boolean => isShown(rule, { others: since(this.#before, availability.finished) });
    const endsEarly = (isPart || action === 'probe') && !rule.rowUsesMaxOutage;
    const jitter = endsEarly ? (1 + Math.random()) / 2 : Math.random();
    const asked = 1000 * Math.min(left, failure.retryAfter ?? 0);
    const wait = Math.min(1000 * left - asked, backoff(this.#attempts, jitter));
    onRetry(failure, asked + wait);
    pause(asked);
    // Retry-After is always respected. The backoff is a guess and ends early if the service recovers.
    await sleep(Math.min(MAX_TIMER_MS, asked), undefined, { signal });
    await availability.wait(wait, signal, endsEarly ? isShownUp : undefined);
  }
}

function outageText(seconds: number, option: string | undefined): string {
  if (seconds === 0) return `It was not retried${option === undefined ? '' : `, because ${option} is 0`}.`;
  return `It was retried for ${durationOf(seconds)}${option === undefined ? '' : ` (${option})`}.`;
}

const since = (before: RequestCounts, now: RequestCounts): RequestCounts => ({
  all: now.all - before.all,
  succeeded: now.succeeded - before.succeeded,
});

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 30_000;

/**
 * Milliseconds before the next attempt: exponential backoff with full jitter (AWS Architecture Blog, "Exponential
 * Backoff And Jitter").
 *
 * @param attempts so far, from 1
 * @param random in [0, 1)
 */
export function backoff(attempts: number, random: number): number {
  return random * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
}
