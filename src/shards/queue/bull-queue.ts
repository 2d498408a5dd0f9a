import * as z from 'zod';
import { BullRunQueue } from './bull-run-queue.ts';
import type { BullMq } from './load-package.ts';
import type { QueuedRun, RunQueue, ShardQueue } from './shard-queue.ts';
import { type Jobs, newQueue, newTaker, type Store } from './store.ts';
import { call } from './store-error.ts';

const runShape = z.object({ key: z.string(), plan: z.string(), folder: z.string(), announced: z.number() });

/**
 * Jobs of BullMQ, in Redis or PostgreSQL. Each run has a queue of its own, so a worker that cannot work on a run does not
 * take its jobs; another queue lists the runs, as jobs that nobody takes.
 */
export class BullQueue implements ShardQueue {
  readonly name: string;
  readonly #bullmq: BullMq;
  readonly #store: Store;
  #runs: Jobs | undefined;

  constructor(bullmq: BullMq, store: Store, name: string) {
    this.#bullmq = bullmq;
    this.#store = store;
    this.name = name;
  }

  announce(run: QueuedRun): Promise<void> {
    return this.#call(async runs => {
      const known = await runs.getJob(run.key);
      if (known === undefined) await runs.add('run', { ...run }, { jobId: run.key });
      else await known.updateData({ ...run });
    });
  }

  runs(): Promise<QueuedRun[]> {
    return this.#call(async runs => {
      const jobs = await runs.getJobs(['waiting'], 0, -1, true);
      // A job may be from a later version, or removed at this moment.
      return jobs.flatMap(job => runShape.safeParse(job?.data).data ?? []);
    });
  }

  withdraw(run: QueuedRun): Promise<void> {
    return this.#call(async runs => {
      await runs.remove(run.key);
      const jobs = await this.#open(queueOf(run));
      await jobs.obliterate({ force: true }).finally(() => jobs.close());
    });
  }

  open(run: QueuedRun): Promise<RunQueue> {
    return this.#call(async () => {
      const jobs = await this.#open(queueOf(run));
      return new BullRunQueue(this.name, jobs, newTaker(this.#bullmq, this.#store, queueOf(run)));
    });
  }

  async close(): Promise<void> {
    await this.#runs?.close().catch(() => {});
    await this.#store.close().catch(() => {});
  }

  /** Calls with the list of runs, which is opened again if the connection was lost while it was opened. */
  #call<T>(use: (runs: Jobs) => Promise<T>): Promise<T> {
    const called = async (): Promise<T> => {
      this.#runs ??= await this.#open('runs');
      return use(this.#runs);
    };
    return call(this.name, called());
  }

  async #open(name: string): Promise<Jobs> {
    const jobs = newQueue(this.#bullmq, this.#store, name);
    try {
      await jobs.waitUntilReady();
      return jobs;
    } catch (cause) {
      await jobs.close().catch(() => {});
      throw cause;
    }
  }
}

const queueOf = ({ key }: QueuedRun): string => `run-${key}`;
