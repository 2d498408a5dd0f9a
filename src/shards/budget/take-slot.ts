import { setTimeout as sleep } from 'node:timers/promises';
import { unlessStopped } from '../../base/interrupted.ts';
import type { Rates, Slot } from './slot-store.ts';

/** A process that was suspended, or is too busy, asks again for a time that has passed by more than this. */
const MAX_LATE_MS = 100;
/**
 * A worker does not reserve a time further away than this. A time that was reserved by a worker that has ended is lost, and
 * one that was reserved before the store lost its count is used besides the new ones.
 */
const HORIZON_MS = 250;
/** How often a store that cannot be reached is asked again. */
const RETRY_MS = 500;
/** Timers cannot be longer than 24 days. */
const MAX_SLEEP_MS = 60_000;

export interface Budget {
  /** The lowest rates that any worker was given. */
  rates: () => Rates;
  /** Takes a slot of a `SlotStore`; undefined if the store cannot be reached. */
  reserve: (rows: number, rates: Rates, horizon: number) => Promise<Slot | undefined>;
}

/**
 * Waits until a request may be sent, according to the count of all workers. Until the store answers, nothing may be sent.
 *
 * @throws AbortError
 */
export async function takeSlot({ rates, reserve }: Budget, rows: number, signal: AbortSignal): Promise<void> {
  let allowed = MAX_LATE_MS;
  for (;;) {
    const given = rates();
    if (given.requests === Number.POSITIVE_INFINITY && given.rows === Number.POSITIVE_INFINITY) return;
    const asked = performance.now();
    const slot = await unlessAborted(reserve(rows, given, HORIZON_MS), signal);
    if (slot === undefined) {
      await sleep(RETRY_MS, undefined, { signal });
      continue;
    }
    if (slot.wait > HORIZON_MS) {
      // The workers wait for different times, so that each has the same chance.
      await sleepUntil(performance.now() + slot.wait - HORIZON_MS * Math.random(), signal);
      continue;
    }
    await sleepUntil(performance.now() + slot.wait, signal);
    // The store's clock was read at some time after it was asked.
    if (performance.now() - asked - slot.wait <= allowed) return;
    allowed *= 2; // or a store that always answers late would be asked for ever
  }
}

async function sleepUntil(time: number, signal: AbortSignal): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now())
    await sleep(Math.min(MAX_SLEEP_MS, Math.ceil(left)), undefined, { signal });
}

async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await unlessStopped(promise, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
