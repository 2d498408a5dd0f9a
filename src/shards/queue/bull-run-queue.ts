import { randomUUID } from 'node:crypto';
import type { RunQueue, ShardJob, TakenJob } from './shard-queue.ts';
import { type Jobs, LOCK_MS, type Taker } from './store.ts';
import { call } from './store-error.ts';

/** How often a worker that lives says so. */
const RENEW_MS = 1_250;
/** Jobs that are added by one call. */
const CHUNK = 500;

type Job = NonNullable<Awaited<ReturnType<Taker['getNextJob']>>>;

/** The jobs of one run. */
export class BullRunQueue implements RunQueue {
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
