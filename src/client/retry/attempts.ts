import { setTimeout as sleep } from 'node:timers/promises';
import type { Failure } from '../call-error.ts';
import type { FailureKind, FailureTable } from '../failure-rule.ts';
import { backoff } from './backoff.ts';
import { type Decision, decide, type FailedAttempt } from './decide.ts';
import type { RequestCounts, ServiceAvailability } from './service-availability.ts';

/** What all requests to one service share for retries. */
export interface RetryPolicy {
  table: FailureTable;
  /** Availability of the service, over all requests. */
  availability: ServiceAvailability;
  /** How long to keep retrying while the service is unavailable, in seconds. */
  maxOutage: number;
  /** Sends no request for this many milliseconds, because the service asked for it. */
  pause(ms: number): void;
  /** Called before each wait for a retry; `wait` is in milliseconds. */
  onRetry(failure: Failure, wait: number): void;
}

/** Node fires timers with a longer delay immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The attempts of one request: remembers what `decide` needs to know, and waits between them. */
export class Attempts {
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
  failed(failure: Failure, batch: Pick<FailedAttempt, 'canSplit' | 'mayBeRest'>): Decision {
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

  /** Waits before the next attempt. */
  async wait(failure: Failure, { left }: Decision, signal: AbortSignal): Promise<void> {
    const { availability, onRetry, pause } = this.#policy;
    const asked = 1000 * Math.min(left, failure.retryAfter ?? 0);
    const wait = Math.min(1000 * left - asked, backoff(this.#attempts, Math.random()));
    onRetry(failure, asked + wait);
    pause(asked);
    // Retry-After is always respected. The backoff is a guess and ends early if the service recovers.
    await sleep(Math.min(MAX_TIMER_MS, asked), undefined, { signal });
    await availability.wait(wait, signal);
  }
}

const since = (before: RequestCounts, now: RequestCounts): RequestCounts => ({
  all: now.all - before.all,
  succeeded: now.succeeded - before.succeeded,
});
