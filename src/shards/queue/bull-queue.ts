import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { openPostgres } from './postgres-store.ts';
import type { QueueAddress } from './queue-address.ts';
import { openRedis } from './redis-store.ts';
import type { QueuedRun, RunQueue, ShardJob, ShardQueue, TakenJob } from './shard-queue.ts';
import {
  type BullMq,
  call,
  type Jobs,
  LOCK_MS,
  loadPackage,
  newQueue,
  newTaker,
  type Store,
  type Taker,
} from './store.ts';

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

/** How often a worker that lives says so. */
const RENEW_MS = 1_250;
/** Jobs that are added by one call. */
const CHUNK = 500;

type Job = NonNullable<Awaited<ReturnType<Taker['getNextJob']>>>;

/** The jobs of one run. */
class BullRunQueue implements RunQueue {
  readonly #name: string;
  readonly #jobs: Jobs;
  readonly #taker: Taker;
  readonly #closed = new AbortController();

  constructor(name: string, jobs: Jobs, taker: Taker) {
    this.#name = name;
    this.#jobs = jobs;
    this.#taker = taker;
    void taker.startStalledCheckTimer();
  }

  async add(jobs: readonly ShardJob[]): Promise<void> {
    for (let i = 0; i < jobs.length; i += CHUNK) {
      const chunk = jobs.slice(i, i + CHUNK).map(({ shard, ended }) => ({
        name: 'shard',
        data: { shard },
        opts: { jobId: `shard-${shard}-${ended}`, removeOnComplete: true, removeOnFail: true },
      }));
      await call(this.#name, this.#jobs.addBulk(chunk));
    }
  }

  count(): Promise<number> {
    return call(this.#name, this.#jobs.getJobCountByTypes('waiting', 'active', 'delayed'));
  }

  async take(): Promise<TakenJob | undefined> {
    const token = randomUUID();
    const job = await call(this.#name, this.#taker.getNextJob(token, { block: false }));
    return job && new BullJob(job, token, this.#closed.signal);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#taker.close(true).catch(() => {});
    await this.#jobs.close().catch(() => {});
  }
}

/** A job whose lock is renewed until it is given back, or the queue is closed. */
class BullJob implements TakenJob {
  readonly shard: number;
  readonly #job: Job;
  readonly #token: string;
  readonly #timer: NodeJS.Timeout;

  constructor(job: Job, token: string, closed: AbortSignal) {
    this.shard = Number(job.data.shard);
    this.#job = job;
    this.#token = token;
    this.#timer = setInterval(() => {
      // A lock that is lost costs nothing but another worker's look at the folder.
      job.extendLock(token, LOCK_MS).catch(() => {});
    }, RENEW_MS);
    closed.addEventListener('abort', () => clearInterval(this.#timer));
  }

  async finish(): Promise<void> {
    clearInterval(this.#timer);
    await this.#job.moveToCompleted(null, this.#token, false).catch(() => {});
  }

  async putBack(delay: number): Promise<void> {
    clearInterval(this.#timer);
    const moved =
      delay === 0
        ? this.#job.moveToWait(this.#token)
        : this.#job.moveToDelayed(Date.now() + delay, this.#token);
    await moved.catch(() => {});
  }
}

/**
 * Connects to a queue.
 *
 * @param warn called with what is wrong with the server's settings
 * @throws RowcastError `missing_package`, `queue_unavailable`, `queue_refused`, `queue_evicts`
 */
export async function openQueue(address: QueueAddress, warn: (message: string) => void): Promise<ShardQueue> {
  const store = await (address.kind === 'redis' ? openRedis(address, warn) : openPostgres(address));
  const bullmq = await loadPackage('bullmq', ['bullmq']);
  return new BullQueue(bullmq, store, address.name);
}
