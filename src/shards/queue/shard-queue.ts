import { createHash } from 'node:crypto';
import { RowcastError } from '../../base/errors.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import type { ShardPlan } from '../folder/plan-shape.ts';

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
