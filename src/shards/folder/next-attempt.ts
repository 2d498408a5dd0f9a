import type { ShardHeartbeat } from './result-shape.ts';

/** An attempt to score a shard, as another worker sees it. */
export interface SeenAttempt {
  number: number;
  /** The row from which it went on. */
  row: number;
  /** Its last heartbeat; undefined before the first one. */
  beat: ShardHeartbeat | undefined;
  /** Whether its process has ended, as far as this machine can tell. */
  isDead: boolean;
  /** Milliseconds since its last heartbeat was first seen here. */
  silentMs: number;
}

/** What a worker can do about a shard. */
export type Next =
  | { kind: 'take'; attempt: number }
  /** The holder of the shard is alive, as far as can be told. */
  | { kind: 'wait'; attempt: number }
  /** So many attempts have ended where they began that another one would too. */
  | { kind: 'give up'; attempts: number; error: ShardHeartbeat['error'] };

/** The time between two heartbeats of a holder, and how long after the last one its lease expires. */
export const HEARTBEAT_MS = 2_500;
export const LEASE_MS = 10_000;

/**
 * A shard is given up after this many attempts in which no checkpoint was written. Those that ended because the service
 * was down or a disk was full do not count.
 */
export const MAX_ATTEMPTS = 5;

/**
 * Decides what to do about a shard without a result. Clocks are not compared: a lease has expired when this worker has
 * seen no change in it for long enough.
 *
 * @param attempts in order
 * @param row the row from which another attempt would go on
 * @param isChosen whether somebody asked for this shard, perhaps after removing the cause of its failures
 */
export function nextShardAttempt(attempts: readonly SeenAttempt[], row: number, isChosen: boolean): Next {
  const last = attempts.at(-1);
  if (last === undefined) return { kind: 'take', attempt: 1 };
  if (isHeld(last)) return { kind: 'wait', attempt: last.number };
  const failed = attempts.slice(-MAX_ATTEMPTS).filter(each => each.row === row && mayBeItsFault(each));
  if (isChosen || failed.length < MAX_ATTEMPTS) return { kind: 'take', attempt: last.number + 1 };
  const error = failed.findLast(each => each.beat?.error)?.beat?.error ?? null;
  return { kind: 'give up', attempts: last.number, error };
}

/** Whether the holder of a lease is alive, as far as can be told. */
export const isHeld = ({
  beat,
  isDead,
  silentMs,
}: Pick<SeenAttempt, 'beat' | 'isDead' | 'silentMs'>): boolean =>
  beat?.state !== 'ended' && !isDead && silentMs < LEASE_MS;

/** Not if it was stopped, or ended before its first heartbeat, when nothing of the shard had been read. */
const mayBeItsFault = ({ beat }: SeenAttempt): boolean =>
  beat !== undefined && (beat.state === 'running' || beat.error !== null);
