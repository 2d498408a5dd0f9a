import { RowcastError } from '../../base/errors.ts';
import { isHeld, nextShardAttempt, type SeenAttempt } from '../folder/next-attempt.ts';
import { isStored, partPathOf } from '../folder/part-output.ts';
import type { Shard } from '../folder/plan-shape.ts';
import { readShard } from '../folder/read-run.ts';
import { attemptShard, type BegunPart, giveUp, type Work } from './attempt-shard.ts';
import { checkpointOf } from './inherit-part.ts';
import { LeaseWatch } from './see-attempts.ts';

const KILLED = { code: 'killed', message: 'its process ended before the first checkpoint' };

/** Scores shards that nobody else scores. */
export class ShardTaker {
  readonly #work: Work;
  readonly #watch: LeaseWatch;
  /** Shard → the first beat that was seen of its holder. */
  readonly #beats = new Map<number, number | undefined>();

  /** @param watch what this process has seen of the leases of others */
  constructor(work: Work, watch = new LeaseWatch(work.folder)) {
    this.#work = work;
    this.#watch = watch;
  }

  /**
   * @param leases the files in the folder of leases
   * @returns whether the shard was scored or given up; not if another worker has it
   * @throws RowcastError as `attemptShard`; `shard_in_progress`
   */
  async take(number: number, leases: readonly string[]): Promise<boolean> {
    const { folder, isChosen, plan } = this.#work;
    const shard = await readShard(folder, number);
    const file = shard && plan.files[shard.file];
    if (shard === undefined || file === undefined) return false;
    const attempts = await this.#watch.attemptsOf(number, leases);
    const last = attempts.at(-1);
    // Nobody goes on with the part of a shard that is held.
    const isTaken = last !== undefined && isHeld(last);
    const { row, from } = await this.#resumable(shard, isTaken ? [] : attempts);
    const next = nextShardAttempt(attempts, row, isChosen);
    if (next.kind === 'give up') {
      const { attempts: made, error } = next;
      await giveUp(folder, number, { attempts: made, error: error ?? KILLED });
      return true;
    }
    if (next.kind === 'wait' && isChosen) this.#refuseHeld(number, last);
    if (next.kind === 'wait') return false;
    const { attempt } = next;
    const part = { attempt, path: this.#partOf(shard, attempt) };
    // An upload that is not complete cannot be copied, so the next attempt continues it.
    if (from !== undefined && isStored(from.path))
      return attemptShard(this.#work, { shard, file, attempt, part: from, from: undefined, row });
    return attemptShard(this.#work, { shard, file, attempt, part, from: from?.path, row });
  }

  /** The last attempt that has left something whole to go on with, and the row at which that ends. */
  async #resumable(
    shard: Shard,
    attempts: readonly SeenAttempt[],
  ): Promise<{ row: number; from: BegunPart | undefined }> {
    for (const { number } of attempts.toReversed()) {
      const path = this.#partOf(shard, number);
      const checkpoint = await checkpointOf(path, this.#work.backends);
      if (checkpoint !== undefined) return { row: checkpoint.position.row, from: { attempt: number, path } };
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
