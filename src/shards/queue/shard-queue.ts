import { createHash } from 'node:crypto';
import { RowcastError } from '../../base/errors.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';

/**
 * Tells workers which runs there are and which shards to score next. It has no data of the runs: what the folder of a run
 * says counts, so a queue may forget everything, or tell several workers of the same shard.
 *
 * All methods reject with RowcastError `queue_unavailable` while the store cannot be reached.
 */
export interface ShardQueue {
  /** For messages. */
  readonly name: string;
  /** Makes a run known to workers, or notes that it was announced again. */
  announce(run: QueuedRun): Promise<void>;
  /** The runs that are known, oldest first. */
  runs(): Promise<QueuedRun[]>;
  /** Removes a run and all its jobs. */
  withdraw(run: QueuedRun): Promise<void>;
  /** The jobs of a run. */
  open(run: QueuedRun): Promise<RunQueue>;
  close(): Promise<void>;
}

/** A run whose shards are given out. */
export interface QueuedRun {
  /** Tells runs apart, also those of the same plan in different folders. */
  key: string;
  /** The plan's id. */
  plan: string;
  /** Path of the folder of its shards. */
  folder: string;
  /** When it was announced last, in milliseconds since 1970 by the clock of its planner. */
  announced: number;
}

/** To score a shard once: another job for the same shard has a higher number. */
export interface ShardJob {
  shard: number;
  /** Attempts that had ended when the job was made. */
  ended: number;
}

/** The jobs of a run. */
export interface RunQueue {
  /** Adds those that are not there. */
  add(jobs: readonly ShardJob[]): Promise<void>;
  /** The number of jobs that are not finished. */
  count(): Promise<number>;
  /** Takes a job for as long as this process lives, or is undefined if none is waiting. Then others may take it. */
  take(): Promise<TakenJob | undefined>;
  close(): Promise<void>;
}

/** A job of this process. Its methods never reject: without them, the job is given out again, and its shard is found done. */
export interface TakenJob {
  readonly shard: number;
  /** The shard has its result, or was given up. */
  finish(): Promise<void>;
  /** @param delay milliseconds until the job is given out again */
  putBack(delay: number): Promise<void>;
}

/** A planned run, as a queue knows it. The same plan in another folder is another run. */
export function queuedRun({ path }: Pick<SharedFolder, 'path'>, { id }: Pick<ShardPlan, 'id'>): QueuedRun {
  const key = createHash('sha256').update(`${id}\n${path}`).digest('hex').slice(0, 32);
  return { key, plan: id, folder: path, announced: Date.now() };
}

/** What is said about a queue that cannot be reached for a while. */
interface ContactObserver {
  onLost?: (error: RowcastError) => void;
  onFound?: () => void;
}

/** Calls a queue whose server may be restarted at any time, and reports only when that begins and ends. */
export class QueueMonitor {
  readonly #observer: ContactObserver;
  #isLost = false;

  constructor(observer: ContactObserver) {
    this.#observer = observer;
  }

  /** @returns undefined if the queue cannot be reached */
  async call<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await call();
      if (this.#isLost) this.#observer.onFound?.();
      this.#isLost = false;
      return answer;
    } catch (error) {
      if (!(error instanceof RowcastError) || !error.code.startsWith('queue_')) throw error;
      if (!this.#isLost) this.#observer.onLost?.(error);
      this.#isLost = true;
      return undefined;
    }
  }
}
