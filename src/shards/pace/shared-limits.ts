import { rateOf, type SharedLimits } from '../../base/contract/shared-pace.ts';
import type { Rates } from '../budget/slot-store.ts';
import type { SeenWorker, WorkerFile } from './worker-shape.ts';

/** The limits that a worker was given itself, and whether a store counts what it sends. */
export type GivenLimits = Pick<WorkerFile, 'requests' | 'rows' | 'isCounting'>;

const UNLIMITED: Rates = { requests: Number.POSITIVE_INFINITY, rows: Number.POSITIVE_INFINITY };

const lowest = (values: readonly (number | null | undefined)[]): number =>
  Math.min(...values.map(value => value ?? Number.POSITIVE_INFINITY));

/** The lowest limits that any worker was given. @param others those that are alive */
export const lowestGiven = (own: GivenLimits, others: readonly SeenWorker[]): Rates => ({
  requests: lowest([own.requests, ...others.map(each => each.requests)]),
  rows: lowest([own.rows, ...others.map(each => each.rows)]),
});

/**
 * The limits that workers divide, as one of them knows them: what others have learned, and the lowest that any was given,
 * unless a store counts what all of them send.
 *
 * @param others those that are alive
 * @returns all but the share of this worker
 */
export function knownLimits(
  own: GivenLimits,
  others: readonly SeenWorker[],
  now: number,
): Omit<SharedLimits, 'share'> {
  const areAllCounting = [own, ...others].every(({ isCounting }) => isCounting);
  const given = areAllCounting ? UNLIMITED : lowestGiven(own, others);
  const learned = others.map(({ learned, seenAt }) => {
    const elapsed = now - seenAt;
    const { rate, advertised, pause = 0, accepted = 0 } = learned ?? {};
    const isOver = (advertised?.seconds ?? Number.POSITIVE_INFINITY) * 1000 < elapsed;
    return {
      rate: rate && rateOf({ ...rate, age: rate.age + elapsed }),
      advertised: isOver ? null : advertised?.rate,
      pausedUntil: seenAt + pause,
      accepted,
    };
  });
  return {
    requests: lowest([given.requests, ...learned.map(each => each.rate)]),
    rows: given.rows,
    advertised: lowest(learned.map(each => each.advertised)),
    pausedUntil: Math.max(0, ...learned.map(each => each.pausedUntil)),
    accepted: learned.reduce((sum, each) => sum + each.accepted, 0),
  };
}

/** Whether all others have left room for a worker. */
export const isCounted = (id: string, entry: number, others: readonly SeenWorker[]): boolean =>
  others.every(({ counted }) => counted[id] === entry);
