import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RowcastError } from '../../base/errors.ts';
import { Interrupted } from '../../base/interrupted.ts';
import { CANCELLED, failedName, PLAN } from '../folder/names.ts';
import { readLeft } from '../folder/read-run.ts';
import { cancelled, type Work } from './attempt-shard.ts';
import { OtherShards } from './see-attempts.ts';
import { ShardTaker } from './take-shard.ts';

/** How often a worker looks for shards while others score the last ones. */
const POLL_MS = 500;

/** What a worker works with. */
export type WorkOptions = Omit<Work, 'worker' | 'others' | 'isChosen'> & Partial<Pick<Work, 'worker'>>;

/** A worker that is not yet known to others. */
export const newWorker = (options: WorkOptions, isChosen: boolean): Work => ({
  worker: randomUUID(),
  ...options,
  isChosen,
  others: new OtherShards(options.folder),
});

/**
 * Scores shards, one at a time, next to other workers on this machine or others, until none is left.
 *
 * @param only the numbers of the shards to score; all of them if omitted
 * @returns the shards among them that were given up
 * @throws RowcastError `cancelled`; an error that concerns all shards, or one of `only`; `shard_in_progress` if another
 *   worker is alive that scores one of `only`
 * @throws Interrupted
 */
export async function work(options: WorkOptions, only?: readonly number[]): Promise<number[]> {
  const { folder, stop } = options;
  // Somebody asks for them again.
  for (const shard of only ?? []) await folder.remove(failedName(shard));
  const taker = new ShardTaker(newWorker(options, only !== undefined));
  for (;;) {
    if (stop.aborted) throw new Interrupted(stop);
    if ((await folder.read(CANCELLED)) !== undefined) throw cancelled(folder);
    // Assembled by someone else, which needs all shards.
    if ((await folder.read(PLAN)) === undefined) return [];
    const { planned, published, done, failed } = await readLeft(folder);
    const wanted = only?.filter(shard => planned === undefined || shard < planned) ?? published;
    const left = wanted.filter(shard => !done.has(shard) && !failed.has(shard));
    if (left.length === 0 && planned !== undefined) return wanted.filter(shard => failed.has(shard));
    const isPublished = new Set(published);
    const ready = left.filter(shard => isPublished.has(shard));
    if (await takeOneOf(taker, ready, await folder.list('leases'))) continue;
    await options.sharedPace?.leave();
    await sleep(POLL_MS, undefined, { signal: stop }).catch(() => {}); // seen above
  }
}

async function takeOneOf(
  taker: ShardTaker,
  shards: readonly number[],
  leases: readonly string[],
): Promise<boolean> {
  for (const shard of shards) if (await taker.take(shard, leases)) return true;
  return false;
}

/** Variables in which schedulers give a task its number: Kubernetes, Slurm, AWS Batch. */
const INDEX_VARIABLES = ['JOB_COMPLETION_INDEX', 'SLURM_ARRAY_TASK_ID', 'AWS_BATCH_JOB_ARRAY_INDEX'] as const;

/**
 * The numbers of the shards that a worker is to score.
 *
 * @param given the number of its task, or `any`; by default, that of the scheduler
 * @param perTask shards of a task
 * @returns undefined if it takes shards until none is left
 * @throws RowcastError `bad_option`
 */
export function chosenShards(
  given: string | undefined,
  perTask: number,
  env: Readonly<Record<string, string | undefined>>,
): number[] | undefined {
  const variable = given === undefined ? INDEX_VARIABLES.find(name => env[name]) : undefined;
  const text = given ?? (variable && env[variable]);
  if (text === undefined || text === 'any') return undefined;
  const task = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (task === undefined)
    throw new RowcastError(
      'bad_option',
      `${variable ?? '--shard'}: expected a whole number from 0 on${variable ? '' : ', or any'}, got "${text}"`,
    );
  return Array.from({ length: perTask }, (_, i) => task * perTask + i);
}
