import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from '../../base/interrupted.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { CANCELLED, numbersOf, PLAN } from '../folder/names.ts';
import { isHeld } from '../folder/next-attempt.ts';
import { readLeft } from '../folder/read-run.ts';
import { cancelled } from '../work/attempt-shard.ts';
import { LeaseWatch } from '../work/see-attempts.ts';
import type { RunQueue, ShardQueue } from './bull-queue.ts';
import type { QueuedRun, QueueMonitor, ShardJob } from './shard-queue.ts';

/** How often what is in the queue is compared with the folder. */
const FEED_MS = 500;
/** How often all jobs are added again, of which those stay that are there. */
const AGAIN_MS = 30_000;
/**
 * How long a shard may be without a holder after an attempt before it gets a new job: usually the old one comes back.
 */
const GRACE_MS = 3_000;

export interface FeedOptions {
  folder: SharedFolder;
  queue: ShardQueue;
  run: QueuedRun;
  monitor: QueueMonitor;
  stop: AbortSignal;
}

/**
 * Keeps a job in the queue for each published shard that has neither a result nor was given up, until there is no such
 * shard. The queue may lose its jobs at any time.
 *
 * @throws RowcastError `cancelled`
 * @throws Interrupted, and leaves the jobs to other workers
 */
export async function feedRun({ folder, queue, run, monitor, stop }: FeedOptions): Promise<void> {
  const feeder = new Feeder(folder, queue, run);
  try {
    for (;;) {
      const isCancelled = (await folder.read(CANCELLED)) !== undefined;
      const isGone = (await folder.read(PLAN)) === undefined;
      const { left, isOver } = await readLeft(folder);
      if (isCancelled || isGone || isOver) await monitor.call(() => queue.withdraw(run));
      if (isCancelled) throw cancelled(folder);
      if (isGone || isOver) return;
      if (stop.aborted) throw new Interrupted(stop);
      await monitor.call(() => feeder.feed(left));
      await sleep(FEED_MS, undefined, { signal: stop }).catch(() => {}); // seen above
    }
  } finally {
    await feeder.close();
  }
}

class Feeder {
  readonly #folder: SharedFolder;
  readonly #queue: ShardQueue;
  readonly #run: QueuedRun;
  readonly #watch: LeaseWatch;
  /** Shard → the number of its last job. */
  readonly #added = new Map<number, number>();
  /** Shard → since when it has had no holder. */
  readonly #free = new Map<number, number>();
  #addedAt = Number.NEGATIVE_INFINITY;
  #jobs: RunQueue | undefined;

  constructor(folder: SharedFolder, queue: ShardQueue, run: QueuedRun) {
    this.#folder = folder;
    this.#queue = queue;
    this.#run = run;
    this.#watch = new LeaseWatch(folder);
  }

  async feed(left: readonly number[]): Promise<void> {
    this.#jobs ??= await this.#queue.open(this.#run);
    const known = left.filter(shard => this.#added.has(shard));
    const isForgotten = (await this.#jobs.count()) < known.length;
    if (isForgotten || performance.now() - this.#addedAt > AGAIN_MS) {
      this.#added.clear();
      this.#addedAt = performance.now();
      await this.#queue.announce({ ...this.#run, announced: Date.now() });
    }
    const jobs: ShardJob[] = [];
    const leases = await this.#folder.list('leases');
    const leased = new Set(leases.map(name => numbersOf(name)?.shard));
    for (const shard of left) {
      const ended = leased.has(shard) ? await this.#endedAttempts(shard, leases) : 0;
      if (this.#added.get(shard) !== ended) jobs.push({ shard, ended });
    }
    await this.#jobs.add(jobs);
    for (const { shard, ended } of jobs) this.#added.set(shard, ended);
  }

  async close(): Promise<void> {
    await this.#jobs?.close();
  }

  /**
   * The attempts that ended a while ago: a worker that ends puts its job back, and that of one that dies comes back.
   */
  async #endedAttempts(shard: number, leases: readonly string[]): Promise<number> {
    const attempts = await this.#watch.attemptsOf(shard, leases);
    const last = attempts.at(-1);
    if (last === undefined) return 0;
    if (isHeld(last)) {
      this.#free.delete(shard);
      return attempts.length - 1;
    }
    const since = this.#free.get(shard) ?? performance.now();
    this.#free.set(shard, since);
    return performance.now() - since > GRACE_MS ? attempts.length : attempts.length - 1;
  }
}
