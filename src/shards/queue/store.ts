import type { BackendFactory, ConnectionOptions } from 'bullmq';
import type { BullMq } from './load-package.ts';

/** An open connection to the server that has the jobs. */
export interface Store {
  /** How BullMQ's classes use it. */
  factory: BackendFactory;
  connection: ConnectionOptions;
  close(): Promise<void>;
}

/** How long to wait for an answer of the server. */
export const ANSWER_MS = 5_000;

/** Before the name of every key in Redis. */
const PREFIX = 'rowcast';

/**
 * How long after the last sign of life of its worker a job is given out again, and how often that is looked for: together
 * less than the lease in the folder (`LEASE_MS`), which runs out at the same time.
 */
export const LOCK_MS = 5_000;
const STALLED_MS = 2_000;
/** A job may be given out any number of times: the folder counts the attempts. */
const MAX_STALLED = 1_000_000_000;

/** The jobs with a name. */
export function newQueue({ Queue }: BullMq, { connection, factory }: Store, name: string) {
  const queue = new Queue(name, { connection, prefix: PREFIX }, factory);
  // Calls report the same.
  queue.on('error', () => {});
  return queue;
}
export type Jobs = ReturnType<typeof newQueue>;

/** What takes jobs with a name, and puts back those of workers that died. */
export function newTaker({ Worker }: BullMq, { connection, factory }: Store, name: string) {
  const intervals = { lockDuration: LOCK_MS, stalledInterval: STALLED_MS, maxStalledCount: MAX_STALLED };
  const options = { connection, prefix: PREFIX, autorun: false, ...intervals };
  // Without a connection that waits for jobs: this process asks now and then.
  const taker = new Worker(name, null, options, (queue, all) => factory(queue, all));
  taker.on('error', () => {});
  return taker;
}
export type Taker = ReturnType<typeof newTaker>;
