import { rateOf, type SharedLimits } from '../../base/contract/shared-pace.ts';
import type { SeenWorker, WorkerFile } from './worker-shape.ts';

/** The limits that a worker was given itself. */
export type GivenLimits = Pick<WorkerFile, 'requests' | 'rows'>;

const lowest = (values: readonly (number | null | undefined)[]): number =>
  Math.min(...values.map(value => value ?? Number.POSITIVE_INFINITY));

/**
 * The limits that workers divide, as one of them knows them: what others have learned, and the lowest that any was given.
 *
 * @param others those that are alive
 * @returns all but the share of this worker
 */
export function knownLimits(
  own: GivenLimits,
  others: readonly SeenWorker[],
  now: number,
): Omit<SharedLimits, 'share'> {
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
    requests: lowest([...[own, ...others].map(each => each.requests), ...learned.map(each => each.rate)]),
    rows: lowest([own, ...others].map(each => each.rows)),
    advertised: lowest(learned.map(each => each.advertised)),
    pausedUntil: Math.max(0, ...learned.map(each => each.pausedUntil)),
    accepted: learned.reduce((sum, each) => sum + each.accepted, 0),
  };
}

/** Whether all others have left room for a worker. */
export const isCounted = (id: string, entry: number, others: readonly SeenWorker[]): boolean =>
  others.every(({ counted }) => counted[id] === entry);
