import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from '../failures.ts';
import type { Pacer } from '../pacing/pacer.ts';
import type { RequestCounts, ServiceAvailability } from './service-availability.ts';

export interface RetryOptions {
  /** How the service does, over all requests. */
  availability: ServiceAvailability;
  /** Told how long the service asks to be left alone. */
  pacer: Pick<Pacer, 'pause'>;
  /** Seconds that the service may be unavailable. */
  maxOutage: number;
  /** Aborted when nobody waits for the response any more. */
  signal: AbortSignal;
  /** Whether the batch can be halved: it holds several personas. */
  canSplit: boolean;
  /** Told before each wait, in milliseconds. */
  onRetry?: ((failure: CallError, wait: number, missing: number) => void) | undefined;
}

/** What is known when an attempt has failed. */
export interface FailedAttempt {
  failure: CallError;
  /** Failed attempts of this request that count towards the same limit, this one included where it counts. */
  sameKind: number;
  /** Whether other requests succeeded since its previous attempt. */
  othersSucceed: boolean;
  canSplit: boolean;
  /** Seconds since it failed first, as far as the service was there. */
  failingFor: number;
  /** Seconds without any success of the service, and without one that was not a probe's. */
  downFor: number;
  stalledFor: number;
  maxOutage: number;
}

/** A request is made again, its rows are tried by themselves (and rejected where there is but one), or the run stops. */
export type RetryDecision = 'retry' | 'isolate' | 'stop';

/** Attempts at what may be the request's fault, or the service's. */
export const MAX_ATTEMPTS = 3;
/** Other requests that must have finished, and the share that must have succeeded, before a 503 counts. */
const MIN_OTHERS = 10;
const MIN_SUCCESS_SHARE = 0.9;

/** The rules of `failureTable`. */
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

/** Whether a 503 counts against its batch: load shedding, which looks the same, hits other requests too. */
export function countsAgainstBatch(failure: CallError, others: RequestCounts): boolean {
  if (failure.kind !== 'busy') return true;
  return (
    mayBeCausedByRows(failure) &&
    others.all >= MIN_OTHERS &&
    others.succeeded >= MIN_SUCCESS_SHARE * others.all
  );
}

/** How many other requests are missing before it can be told whether the rows are at fault; none where it does not matter. */
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
 * Makes a request until it succeeds, or its failure is one that another attempt does not mend.
 *
 * @returns the failure, where its rows may be at fault
 * @throws CallError the last failure, where the run stops for it
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T | CallError> {
  const { availability: health, pacer: pace, maxOutage: patience, signal, canSplit, onRetry } = options;
  let before = health.finished;
  const sorts = new Map<string, number>();
  let failingSince: number | undefined;
  let missing = 0;
  for (let attempts = 1; ; attempts++) {
    try {
      const answer = await call();
      health.succeeded(performance.now());
      return answer;
    } catch (failure) {
      if (!(failure instanceof CallError) || signal.aborted) throw failure;
      const now = performance.now();
      failingSince ??= now;
      // What came before a service broke down does not speak for it.
      const others = since(before, health.finished);
      health.failed(failure.kind, now);
      before = health.finished;
      const counts = failure.kind !== 'busy' || (attempts > 1 && countsAgainstBatch(failure, others));
      const alike = (sorts.get(failure.kind) ?? 0) + (counts ? 1 : 0);
      sorts.set(failure.kind, alike);
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
      // Those that were asked for last time would be missing again.
      missing = requestsNeeded(attempt, attempts, others.all - missing);
      onRetry?.(failure, asked + wait, missing);
      pace.pause(asked);
      // What the service asked for is kept to; the rest is a guess, and void when it is seen to be back.
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
/** A timer set for longer goes off at once (Node, `setTimeout`). */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Milliseconds before the next try: exponential backoff with full jitter (AWS Architecture Blog, "Exponential
 * Backoff And Jitter").
 *
 * @param attempts so far, from 1
 * @param random in [0, 1)
 */
export function backoff(attempts: number, random: number): number {
  return random * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
}
