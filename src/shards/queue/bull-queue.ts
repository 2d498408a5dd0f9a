import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { QueueAddress } from './queue-address.ts';
import { openRedis } from './redis-store.ts';
import type { QueuedRun, ShardJob } from './shard-queue.ts';
import {
  ANSWER_MS,
  type BullMq,
  call,
  type Jobs,
  LOCK_MS,
  loadPackage,
  newQueue,
  newTaker,
  queueError,
  type Store,
  type Taker,
} from './store.ts';

const runShape = z.object({ key: z.string(), plan: z.string(), folder: z.string(), announced: z.number() });

/**
 * Tells workers which runs there are and which shards to score next. It has no data of the runs: what the folder of a
 * run says counts, so a queue may forget everything, or tell several workers of the same shard.
 *
 * Its jobs are those of BullMQ, in Redis or PostgreSQL. Each run has a queue of its own, so a worker that cannot work
 * on a run does not take its jobs; another queue lists the runs, as jobs that nobody takes.
 *
 * All methods reject with RowcastError `queue_unavailable` while the store cannot be reached.
 */
export class ShardQueue {
  /** For messages. */
  readonly name: string;
  readonly #bullmq: BullMq;
  readonly #store: Store;
  #runs: Jobs | undefined;

  constructor(bullmq: BullMq, store: Store, name: string) {
    this.#bullmq = bullmq;
    this.#store = store;
    this.name = name;
  }

  /** Makes a run known to workers, or notes that it was announced again. */
  announce(run: QueuedRun): Promise<void> {
    return this.#call(async runs => {
      const known = await runs.getJob(run.key);
      if (known === undefined) await runs.add('run', { ...run }, { jobId: run.key });
      else await known.updateData({ ...run });
    });
  }

  /** The runs that are known, oldest first. */
  runs(): Promise<QueuedRun[]> {
    return this.#call(async runs => {
      const jobs = await runs.getJobs(['waiting'], 0, -1, true);
      // A job may be from a later version, or removed at this moment.
      return jobs.flatMap(job => runShape.safeParse(job?.data).data ?? []);
    });
  }

  /** Removes a run and all its jobs. */
  withdraw(run: QueuedRun): Promise<void> {
    return this.#call(async runs => {
      await runs.remove(run.key);
      const jobs = await this.#open(queueOf(run));
      await jobs.obliterate({ force: true }).finally(() => jobs.close());
    });
  }

  /** The jobs of a run. */
  open(run: QueuedRun): Promise<RunQueue> {
    return this.#call(async () => {
      const jobs = await this.#open(queueOf(run));
      return new RunQueue(this.name, jobs, newTaker(this.#bullmq, this.#store, queueOf(run)));
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
export class RunQueue {
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

  /** Adds those that are not there. */
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

  /** The number of jobs that are not finished. */
  count(): Promise<number> {
    return call(this.#name, this.#jobs.getJobCountByTypes('waiting', 'active', 'delayed'));
  }

  /** Takes a job for as long as this process lives, or is undefined if none is waiting. Then others may take it. */
  async take(): Promise<TakenJob | undefined> {
    const token = randomUUID();
    const job = await call(this.#name, this.#taker.getNextJob(token, { block: false }));
    return job && new TakenJob(job, token, this.#closed.signal);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#taker.close(true).catch(() => {});
    await this.#jobs.close().catch(() => {});
  }
}

/**
 * A job of this process, whose lock is renewed until it is given back, or the queue is closed. Its methods never
 * reject: without them, the job is given out again, and its shard is found done.
 */
export class TakenJob {
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

  /** The shard has its result, or was given up. */
  async finish(): Promise<void> {
    clearInterval(this.#timer);
    await this.#job.moveToCompleted(null, this.#token, false).catch(() => {});
  }

  /** @param delay milliseconds until the job is given out again */
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
  return new ShardQueue(bullmq, store, address.name);
}

/** Our own schema, so that we share no tables with another program that uses BullMQ. */
const SCHEMA = 'rowcast';
/** Connections of a process: one for its own calls, one for those that a timer makes. */
const MAX_CONNECTIONS = 2;

/**
 * Connects to PostgreSQL, and makes our schema if it is not there. A connection that is lost later is made again.
 *
 * @throws RowcastError `missing_package`, `queue_unavailable`, `queue_refused`
 */
async function openPostgres({ url, name }: QueueAddress): Promise<Store> {
  const needed = ['bullmq', 'pg'] as const;
  await loadPackage('pg', needed);
  const { PostgresConnection, PostgresQueueBackend } = await loadPackage('bullmq', needed);
  const connection = new PostgresConnection({
    connectionString: url,
    schema: SCHEMA,
    migrate: true,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: 2 * ANSWER_MS,
    application_name: 'rowcast',
  });
  // Without a listener, the error of a lost connection would end the process.
  connection.on('error', () => {});
  try {
    await connection.waitUntilReady();
  } catch (cause) {
    await connection.close().catch(() => {});
    throw queueError(cause, name);
  }
  return {
    connection: {},
    factory: (queue, options) =>
      // It takes the worker's intervals from the options, and nothing of its connection.
      new PostgresQueueBackend(connection, queue, { ...options, connection: connection.pool }, false),
    close: () => connection.close(),
  };
}
