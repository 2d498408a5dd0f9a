import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from './failures.ts';
import type { Health } from './health.ts';
import type { Pace } from './pace.ts';

export interface RetryOptions {
  /** How the service does, over all calls. */
  health: Health;
  /** Told how long the service asks to be left alone. */
  pace: Pick<Pace, 'pause'>;
  /** Seconds that the service may be gone. */
  patience: number;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** Whether the batch can be halved: it holds several personas. */
  canSplit: boolean;
  /** Told before each wait, in milliseconds. */
  onRetry?: ((failure: CallError, wait: number) => void) | undefined;
}

/** What is known when a call has failed. */
export interface Trial {
  failure: CallError;
  /** Failed tries of this call, this one included: all, and those of this sort. */
  tries: number;
  alike: number;
  /** Whether other calls succeeded since this one failed before, or was made. */
  othersSucceed: boolean;
  canSplit: boolean;
  /** Seconds since the service, or this call alone, was last well. */
  goneFor: number;
  patience: number;
}

/** What is done about a failed call: made again, its batch halved, or given up. */
export type Verdict = 'again' | 'split' | 'stop';

/** Tries of what may be the request's fault, or the service's. */
export const FEW = 3;

/** The rules of `failureTable`. */
export function judge({ failure, alike, othersSucceed, canSplit, goneFor, patience }: Trial): Verdict {
  const isOver = goneFor >= patience;
  switch (failure.kind) {
    case 'stop':
      return 'stop';
    case 'refusal':
      return 'split';
    case 'wrong_answer':
      return alike < FEW ? 'again' : 'stop';
    case 'fault':
      if (alike < FEW) return 'again';
      if (othersSucceed) return 'split';
      return isOver ? 'stop' : 'again';
    case 'outage':
      // One row alone is waited for: that it takes long is no reason to reject it.
      if (failure.code === 'service_timeout' && alike >= FEW && othersSucceed && canSplit) return 'split';
      return isOver ? 'stop' : 'again';
  }
}

/**
 * Makes a call until it succeeds, or its failure is one that making it again does not mend.
 *
 * @throws CallError the last failure; with `splits` where the halves of its batch may fare better
 */
export async function withRetries<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { health, pace, patience, signal, canSplit, onRetry } = options;
  let successes = health.successes;
  const sorts = new Map<string, number>();
  let failingSince: number | undefined;
  for (let tries = 1; ; tries++) {
    try {
      const answer = await call();
      health.succeeded(performance.now());
      return answer;
    } catch (failure) {
      if (!(failure instanceof CallError) || signal.aborted) throw failure;
      const now = performance.now();
      failingSince ??= now;
      if (failure.kind === 'outage' || failure.kind === 'fault') health.failed(now);
      if (failure.kind === 'refusal') health.refused();
      const sort = sortOf(failure);
      const alike = (sorts.get(sort) ?? 0) + 1;
      sorts.set(sort, alike);
      // A call that fails on and on while others succeed must come to an end too.
      const goneFor = Math.max(health.goneFor(now), (now - failingSince) / 1000);
      const othersSucceed = health.successes > successes;
      // What came before a service broke down does not speak for it.
      successes = health.successes;
      const verdict = judge({ failure, tries, alike, othersSucceed, canSplit, goneFor, patience });
      if (verdict !== 'again') {
        failure.splits = verdict === 'split';
        throw failure;
      }
      const left = Math.max(0, patience - goneFor) * 1000;
      const asked = Math.min(left, (failure.retryAfter ?? 0) * 1000);
      const wait = Math.min(left - asked, backoff(tries, Math.random()));
      onRetry?.(failure, asked + wait);
      pace.pause(asked);
      // What the service asked for is kept to; the rest is a guess, and void when it is seen to be back.
      await sleep(Math.min(LONGEST_TIMER_MS, asked), undefined, { signal });
      await health.wait(wait, signal);
    }
  }
}

/** What is counted together: a service may give each fault a code of its own, and three tries are three all the same. */
const sortOf = ({ kind, code }: CallError): string => (kind === 'outage' ? code : kind);

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** A timer set for longer goes off at once (Node, `setTimeout`). */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Milliseconds before the next try: exponential backoff with full jitter (AWS Architecture Blog, "Exponential
 * Backoff And Jitter").
 *
 * @param tries so far, from 1
 * @param random in [0, 1)
 */
export function backoff(tries: number, random: number): number {
  return random * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
}
