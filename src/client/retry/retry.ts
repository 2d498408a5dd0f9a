import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from '../failures.ts';
import type { Pacer } from '../pacing/pacer.ts';
import type { RequestCounts, ServiceAvailability } from './service-availability.ts';

export interface RetryOptions {
  /** Availability of the service, over all requests. */
  availability: ServiceAvailability;
  /** Paused for as long as Retry-After says. */
  pacer: Pick<Pacer, 'pause'>;
  /** How long to keep retrying while the service is unavailable, in seconds. */
  maxOutage: number;
  /** Aborts the request and its retries. */
  signal: AbortSignal;
  /** Whether the batch can be halved: it holds several personas. */
  canSplit: boolean;
  /** Called before each wait; `wait` is in milliseconds. */
  onRetry?: ((failure: CallError, wait: number, missing: number) => void) | undefined;
}

/** What is known after a failed attempt. */
export interface FailedAttempt {
  failure: CallError;
  /** Failed attempts of this request that count towards the same limit, including this one if it counts. */
  sameKind: number;
  /** Whether other requests succeeded since its previous attempt. */
  othersSucceed: boolean;
  canSplit: boolean;
  /** Seconds since the first failed attempt, not counting outages. */
  failingFor: number;
  /** Seconds since anything succeeded; `stalledFor` does not count successful probes. */
  downFor: number;
  stalledFor: number;
  maxOutage: number;
}

/** Retry the request, isolate its rows (halve the batch, or reject a single row), or stop the run. */
export type RetryDecision = 'retry' | 'isolate' | 'stop';

/** Number of attempts if either the request or the service may be the cause. */
export const MAX_ATTEMPTS = 3;
/** A 503 counts only after this many other requests, and if this share of them succeeded. */
const MIN_OTHERS = 10;
const MIN_SUCCESS_SHARE = 0.9;

/** Applies the rules of `failureTable`. */
export function decideRetry(attempt: FailedAttempt): RetryDecision {
  const {
    failure,
    sameKind: alike,
    othersSucceed,
    canSplit,
    failingFor,
    downFor: goneFor,
    stalledFor,
    maxOutage: patience,
  } = attempt;
  switch (failure.kind) {
    case 'fatal':
      return 'stop';
    case 'rejected_request':
      return 'isolate';
    case 'invalid_response':
      return alike < MAX_ATTEMPTS ? 'retry' : 'stop';
    case 'server_error':
      if (alike < MAX_ATTEMPTS) return 'retry';
      if (othersSucceed) return 'isolate';
      return goneFor >= patience ? 'stop' : 'retry';
    case 'unavailable':
      if (alike >= MAX_ATTEMPTS && othersSucceed && (canSplit || failingFor >= patience)) return 'isolate';
      return goneFor >= patience ? 'stop' : 'retry';
    case 'busy':
      if (alike >= MAX_ATTEMPTS) return 'isolate';
      return stalledFor >= patience ? 'stop' : 'retry';
  }
}

/** Whether a 503 counts against its batch. Load shedding looks the same, but affects other requests too. */
export function countsAgainstBatch(failure: CallError, others: RequestCounts): boolean {
  if (failure.kind !== 'busy') return true;
  return (
    mayBeCausedByRows(failure) &&
    others.all >= MIN_OTHERS &&
    others.succeeded >= MIN_SUCCESS_SHARE * others.all
  );
}

/** How many more requests must finish before we can tell whether the rows cause the failure; 0 if it does not matter. */
function requestsNeeded(
  { failure, sameKind: alike, othersSucceed }: FailedAttempt,
  attempts: number,
  ownTraffic: number,
): number {
  if (!mayBeCausedByRows(failure)) return 0;
  if (failure.kind === 'busy') return attempts > 1 && ownTraffic < MIN_OTHERS ? MIN_OTHERS : 0;
  return alike >= MAX_ATTEMPTS - 1 && (!othersSucceed || ownTraffic < 1) ? 1 : 0;
}

const mayBeCausedByRows = ({ kind, code, status, retryAfter }: CallError): boolean =>
  kind === 'server_error' ||
  (kind === 'unavailable' && code !== 'service_unreachable') ||
  (kind === 'busy' && status === 503 && retryAfter === undefined);

/**
 * Retries a request until it succeeds or `decideRetry` gives up.
 *
 * @returns the failure, if the rows may be its cause
 * @throws CallError the last failure, if it stops the run
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T | CallError> {
  const { availability: health, pacer: pace, maxOutage: patience, signal, canSplit, onRetry } = options;
  let before = health.finished;
  const failuresByKind = new Map<string, number>();
  let failingSince: number | undefined;
  let missing = 0;
  for (let attempts = 1; ; attempts++) {
    try {
      const response = await call();
      health.succeeded(performance.now());
      return response;
    } catch (failure) {
      if (!(failure instanceof CallError) || signal.aborted) throw failure;
      const now = performance.now();
      failingSince ??= now;
      // Successes before the last failure do not show that the service works now.
      const others = since(before, health.finished);
      health.failed(failure.kind, now);
      before = health.finished;
      const counts = failure.kind !== 'busy' || (attempts > 1 && countsAgainstBatch(failure, others));
      const alike = (failuresByKind.get(failure.kind) ?? 0) + (counts ? 1 : 0);
      failuresByKind.set(failure.kind, alike);
      const attempt: FailedAttempt = {
        failure,
        sameKind: alike,
        othersSucceed: others.succeeded > 0,
        canSplit,
        failingFor: health.upFor(failingSince, now),
        downFor: health.downFor(now),
        stalledFor: health.stalledFor(now),
        maxOutage: patience,
      };
      const decision = decideRetry(attempt);
      if (decision === 'stop') throw failure;
      if (decision === 'isolate') {
        health.markUp();
        return failure;
      }
      const waited = failure.kind === 'busy' ? attempt.stalledFor : attempt.downFor;
      const left = Math.max(0, patience - waited) * 1000;
      const asked = Math.min(left, (failure.retryAfter ?? 0) * 1000);
      const wait = Math.min(left - asked, backoff(attempts, Math.random()));
      // Requests that were already asked for must not be asked for again.
      missing = requestsNeeded(attempt, attempts, others.all - missing);
      onRetry?.(failure, asked + wait, missing);
      pace.pause(asked);
      // Retry-After is always respected. The backoff is a guess and ends early if the service recovers.
      await sleep(Math.min(MAX_TIMER_MS, asked), undefined, { signal });
      await health.wait(wait, signal);
    }
  }
}

const since = (before: RequestCounts, now: RequestCounts): RequestCounts => ({
  all: now.all - before.all,
  succeeded: now.succeeded - before.succeeded,
});

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 30_000;
/** Node fires timers with a longer delay immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

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
