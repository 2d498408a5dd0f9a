import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RowcastError } from '../../errors.ts';
import { Interrupted } from '../../scoring/stop.ts';
import { CANCELLED, failedName, numbersOf, PLAN } from '../folder/names.ts';
import { partPathOf } from '../folder/part-path.ts';
import { plannedShards, publishedShards, readShard } from '../folder/read-plan.ts';
import type { SharedFolder } from '../folder/shared-folder.ts';
import type { Shard } from '../plan/plan-shape.ts';
import { attemptShard, type Work } from './attempt-shard.ts';
import { cancelled } from './cancelled.ts';
import { giveUp } from './give-up.ts';
import { checkpointOf } from './inherit-part.ts';
import { nextAttempt, type SeenAttempt } from './next-attempt.ts';
import { OtherShards } from './other-shards.ts';
import { LeaseWatch } from './see-attempts.ts';

/** How often a worker looks for shards while others score the last ones. */
const POLL_MS = 500;

/**
 * Scores shards, one at a time, next to other workers on this machine or others, until none is left.
 *
 * @param only the numbers of the shards to score; all of them if omitted
 * @returns the shards among them that were given up
 * @throws RowcastError `cancelled`; an error that concerns all shards, or one of `only`; `shard_in_progress` if another
 *   worker is alive that scores one of `only`
 * @throws Interrupted
 */
export async function work(
  options: Omit<Work, 'worker' | 'others' | 'isChosen'> & Partial<Pick<Work, 'worker'>>,
  only?: readonly number[],
): Promise<number[]> {
  const { folder, stop } = options;
  const own: Work = {
    worker: randomUUID(),
    ...options,
    isChosen: only !== undefined,
    others: new OtherShards(folder),
  };
  // Somebody asks for them again.
  for (const shard of only ?? []) await folder.remove(failedName(shard));
  const taker = new ShardTaker(own);
  for (;;) {
    if (stop.aborted) throw new Interrupted(stop);
    if ((await folder.read(CANCELLED)) !== undefined) throw cancelled(folder);
    // Assembled by someone else, which needs all shards.
    if ((await folder.read(PLAN)) === undefined) return [];
    const finished = await numbersIn(folder, 'done');
    const failed = await numbersIn(folder, 'failed');
    // In this order: a planner that ends in between has published all of them.
    const planned = await plannedShards(folder);
    const published = await publishedShards(folder);
    const wanted = only?.filter(shard => planned === undefined || shard < planned) ?? published;
    const left = wanted.filter(shard => !finished.has(shard) && !failed.has(shard));
    if (left.length === 0 && planned !== undefined) return wanted.filter(shard => failed.has(shard));
    const isPublished = new Set(published);
    if (await taker.scoreOneOf(left.filter(shard => isPublished.has(shard)))) continue;
    await own.sharedPace?.leave();
    await sleep(POLL_MS, undefined, { signal: stop }).catch(() => {}); // seen above
  }
}

async function numbersIn(folder: SharedFolder, name: string): Promise<Set<number>> {
  return new Set((await folder.list(name)).flatMap(each => numbersOf(each)?.shard ?? []));
}

const KILLED = { code: 'killed', message: 'its process ended before the first checkpoint' };

/** Finds a shard that nobody scores. */
class ShardTaker {
  readonly #work: Work;
  readonly #watch: LeaseWatch;
  /** Shard → the first beat that was seen of its holder. */
  readonly #beats = new Map<number, number | undefined>();

  constructor(work: Work) {
    this.#work = work;
    this.#watch = new LeaseWatch(work.folder);
  }

  /** @returns whether a shard was scored, or given up */
  async scoreOneOf(shards: readonly number[]): Promise<boolean> {
    const { folder, isChosen } = this.#work;
    const leases = await folder.list('leases');
    for (const number of shards) {
      const shard = await readShard(folder, number);
      const file = shard && this.#work.plan.files[shard.file];
      if (shard === undefined || file === undefined) continue;
      const attempts = await this.#watch.attemptsOf(number, leases);
      const { row, from } = await this.#resumable(shard, attempts);
      const next = nextAttempt(attempts, row, isChosen);
      if (next.kind === 'give up') {
        const { attempts: made, error } = next;
        await giveUp(folder, number, { attempts: made, error: error ?? KILLED });
        return true;
      }
      if (next.kind === 'wait' && isChosen) this.#refuseHeld(number, attempts.at(-1));
      if (next.kind === 'wait') continue;
      const { attempt } = next;
      const part = this.#partOf(shard, attempt);
      if (await attemptShard(this.#work, { shard, file, attempt, part, from, row })) return true;
    }
    return false;
  }

  /** The last attempt that has left something to go on with, and the row at which that ends. */
  async #resumable(
    shard: Shard,
    attempts: readonly SeenAttempt[],
  ): Promise<{ row: number; from: string | undefined }> {
    for (const { number } of attempts.toReversed()) {
      const from = this.#partOf(shard, number);
      const checkpoint = await checkpointOf(from);
      if (checkpoint !== undefined) return { row: checkpoint.position.row, from };
    }
    return { row: shard.from?.row ?? 1, from: undefined };
  }

  #partOf({ shard, file }: Shard, attempt: number): string {
    return partPathOf(this.#work.folder, this.#work.plan, { shard, file, attempt });
  }

  /** @throws RowcastError `shard_in_progress` once another heartbeat of its holder was seen */
  #refuseHeld(shard: number, holder: SeenAttempt | undefined): void {
    const beat = holder?.beat?.beat;
    if (!this.#beats.has(shard)) this.#beats.set(shard, beat);
    if (this.#beats.get(shard) === beat) return;
    throw new RowcastError('shard_in_progress', `another worker is scoring shard ${shard}`, {
      severity: 'temporary',
      location: { file: this.#work.folder.path },
      hint: 'Wait for it: rowcast status shows how far it is.',
    });
  }
}
