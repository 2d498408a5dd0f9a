import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from '../failures.ts';
import type { Pace } from '../pacing/pacer.ts';
import type { Finished, Health } from './service-health.ts';

export interface RetryOptions {
  /** How the service does, over all requests. */
  health: Health;
  /** Told how long the service asks to be left alone. */
  pace: Pick<Pace, 'pause'>;
  /** Seconds that the service may be unavailable. */
  patience: number;
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
  alike: number;
  /** Whether other requests succeeded since its previous attempt. */
  othersSucceed: boolean;
  canSplit: boolean;
  /** Seconds since it failed first, as far as the service was there. */
  failingFor: number;
  /** Seconds without any success of the service, and without one that was not a probe's. */
  goneFor: number;
  stalledFor: number;
  patience: number;
}

/** A request is made again, its rows are tried by themselves (and rejected where there is but one), or the run stops. */
export type Decision = 'retry' | 'isolate' | 'stop';

/** Attempts at what may be the request's fault, or the service's. */
export const FEW = 3;
/** Other requests that must have finished, and the share that must have succeeded, before a 503 counts. */
const ENOUGH_OTHERS = 10;
const MOST_SUCCEED = 0.9;

/** The rules of `failureTable`. */
export function decide(attempt: FailedAttempt): Decision {
  const { failure, alike, othersSucceed, canSplit, failingFor, goneFor, stalledFor, patience } = attempt;
  switch (failure.kind) {
    case 'stop':
      return 'stop';
    case 'refusal':
      return 'isolate';
    case 'wrong_answer':
      return alike < FEW ? 'retry' : 'stop';
    case 'fault':
      if (alike < FEW) return 'retry';
      if (othersSucceed) return 'isolate';
      return goneFor >= patience ? 'stop' : 'retry';
    case 'outage':
      if (alike >= FEW && othersSucceed && (canSplit || failingFor >= patience)) return 'isolate';
      return goneFor >= patience ? 'stop' : 'retry';
    case 'busy':
      if (alike >= FEW) return 'isolate';
      return stalledFor >= patience ? 'stop' : 'retry';
  }
}

/** Whether a 503 counts against its batch: load shedding, which looks the same, hits other requests too. */
export function countsAgainst(failure: CallError, others: Finished): boolean {
  if (failure.kind !== 'busy') return true;
  return (
    mayBeTheRows(failure) && others.all >= ENOUGH_OTHERS && others.succeeded >= MOST_SUCCEED * others.all
  );
}

/** How many other requests are missing before it can be told whether the rows are at fault; none where it does not matter. */
function missingOthers(
  { failure, alike, othersSucceed }: FailedAttempt,
  attempts: number,
  ownTraffic: number,
): number {
  if (!mayBeTheRows(failure)) return 0;
  if (failure.kind === 'busy') return attempts > 1 && ownTraffic < ENOUGH_OTHERS ? ENOUGH_OTHERS : 0;
  return alike >= FEW - 1 && (!othersSucceed || ownTraffic < 1) ? 1 : 0;
}

const mayBeTheRows = ({ kind, code, status, retryAfter }: CallError): boolean =>
  kind === 'fault' ||
  (kind === 'outage' && code !== 'service_unreachable') ||
  (kind === 'busy' && status === 503 && retryAfter === undefined);

/**
 * Makes a request until it succeeds, or its failure is one that another attempt does not mend.
 *
 * @returns the failure, where its rows may be at fault
 * @throws CallError the last failure, where the run stops for it
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T | CallError> {
  const { health, pace, patience, signal, canSplit, onRetry } = options;
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
      const counts = failure.kind !== 'busy' || (attempts > 1 && countsAgainst(failure, others));
      const alike = (sorts.get(failure.kind) ?? 0) + (counts ? 1 : 0);
      sorts.set(failure.kind, alike);
      const attempt: FailedAttempt = {
        failure,
        alike,
        othersSucceed: others.succeeded > 0,
        canSplit,
        failingFor: health.wellFor(failingSince, now),
        goneFor: health.goneFor(now),
        stalledFor: health.stalledFor(now),
        patience,
      };
      const decision = decide(attempt);
      if (decision === 'stop') throw failure;
      if (decision === 'isolate') {
        health.answered();
        return failure;
      }
      const waited = failure.kind === 'busy' ? attempt.stalledFor : attempt.goneFor;
      const left = Math.max(0, patience - waited) * 1000;
      const asked = Math.min(left, (failure.retryAfter ?? 0) * 1000);
      const wait = Math.min(left - asked, backoff(attempts, Math.random()));
      // Those that were asked for last time would be missing again.
      missing = missingOthers(attempt, attempts, others.all - missing);
      onRetry?.(failure, asked + wait, missing);
      pace.pause(asked);
      // What the service asked for is kept to; the rest is a guess, and void when it is seen to be back.
      await sleep(Math.min(LONGEST_TIMER_MS, asked), undefined, { signal });
      await health.wait(wait, signal);
    }
  }
}

const since = (before: Finished, now: Finished): Finished => ({
  all: now.all - before.all,
  succeeded: now.succeeded - before.succeeded,
});

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** A timer set for longer goes off at once (Node, `setTimeout`). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Milliseconds before the next try: exponential backoff with full jitter (AWS Architecture Blog, "Exponential
 * Backoff And Jitter").
 *
 * @param attempts so far, from 1
 * @param random in [0, 1)
 */
export function backoff(attempts: number, random: number): number {
  return random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - 1));
}
