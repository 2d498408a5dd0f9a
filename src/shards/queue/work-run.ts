import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted, unlessStopped } from '../../base/interrupted.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { CANCELLED, doneName, failedName, PLAN } from '../folder/names.ts';
import { readLeft } from '../folder/read-run.ts';
import { cancelled } from '../work/attempt-shard.ts';
import type { LeaseWatch } from '../work/see-attempts.ts';
import { ShardTaker } from '../work/take-shard.ts';
import { newWorker, type WorkOptions } from '../work/work.ts';
import type { RunQueue, ShardQueue, TakenJob } from './bull-queue.ts';
import type { QueuedRun, QueueMonitor } from './shard-queue.ts';

/** How often a worker without a job asks for one. */
const POLL_MS = 500;
/** How often it looks at the leases of others, also while it scores: less than half of a heartbeat may be missed. */
const LOOK_MS = 1_000;
/** After how long without a job it looks for other runs. */
const IDLE_MS = 5_000;
/** When a job is given out again whose shard another worker has. */
const HELD_MS = 1_000;

export interface RunWork {
  work: WorkOptions;
  queue: ShardQueue;
  run: QueuedRun;
  watch: LeaseWatch;
  monitor: QueueMonitor;
  /** Whether to leave when there was no job for a while, although shards are left that others score. */
  mayLeave: () => Promise<boolean>;
}

/** Why a worker has left a run. */
export type RunEnd =
  /** No shard is left. */
  | { kind: 'over'; failed: number[] }
  /** The folder of the run was removed: the run was assembled, or discarded. */
  | { kind: 'gone' }
  /** Others score what is left. */
  | { kind: 'idle' };

/**
 * Scores the shards of a run that a queue gives out, one at a time. The folder decides whether a shard may be scored,
 * and when the run is over; while the queue cannot be reached, the worker waits.
 *
 * @throws RowcastError `cancelled`; an error that concerns all shards
 * @throws Interrupted
 */
export async function workRun({ work, queue, run, watch, monitor, mayLeave }: RunWork): Promise<RunEnd> {
  const { folder, stop } = work;
  const taker = new ShardTaker(newWorker(work, false), watch);
  const look = async (): Promise<void> => watch.look((await readLeft(folder)).left);
  const looking = setInterval(() => look().catch(() => {}), LOOK_MS); // the loop below finds what is wrong
  let jobs: RunQueue | undefined;
  let busyAt = performance.now();
  const take = async (): Promise<TakenJob | undefined> => {
    jobs ??= await queue.open(run);
    return jobs.take();
  };
  try {
    for (;;) {
      if (stop.aborted) throw new Interrupted(stop);
      if ((await folder.read(CANCELLED)) !== undefined) throw cancelled(folder);
      if ((await folder.read(PLAN)) === undefined) return { kind: 'gone' };
      const { isOver, failed } = await readLeft(folder);
      if (isOver) return { kind: 'over', failed: [...failed] };
      const job = await unlessStopped(monitor.call(take), stop);
      if (job !== undefined && (await scoreJob(folder, taker, job))) busyAt = performance.now();
      if (job !== undefined) continue;
      await work.sharedPace?.leave();
      if (performance.now() - busyAt > IDLE_MS && (await mayLeave())) return { kind: 'idle' };
      await sleep(POLL_MS, undefined, { signal: stop }).catch(() => {}); // seen above
    }
  } finally {
    clearInterval(looking);
    await jobs?.close();
  }
}

/** @returns whether this worker had the shard */
async function scoreJob(folder: SharedFolder, taker: ShardTaker, job: TakenJob): Promise<boolean> {
  const isFinished = async (): Promise<boolean> =>
    (await folder.read(doneName(job.shard))) !== undefined ||
    (await folder.read(failedName(job.shard))) !== undefined;
  let delay = 0;
  try {
    if (await isFinished()) return false;
    const had = await taker.take(job.shard, await folder.list('leases'));
    if (!had) delay = HELD_MS;
    return had;
  } finally {
    if (await isFinished().catch(() => false)) await job.finish();
    else await job.putBack(delay);
  }
}
