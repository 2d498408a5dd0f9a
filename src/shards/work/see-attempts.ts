import { processIsGone } from '../../storage/local/locks/lock-holder.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { leaseName, numbersOf } from '../folder/names.ts';
import type { SeenAttempt } from '../folder/next-attempt.ts';
import { readRecord } from '../folder/read-record.ts';
import { type Beat, type LeaseHolder, leaseShape } from '../folder/result-shape.ts';
import { readBeat } from './read-beat.ts';
import { Turns } from './shard-turns.ts';

/**
 * How many shards each look reads. There is one look a second, so with 100 shards in progress, each is seen every 4 s, and a
 * worker reads no more files however many there are.
 */
const MAX_LOOKS = 25;

/** What one worker has seen of the leases of others. */
export class LeaseWatch {
  readonly #folder: SharedFolder;
  /** File of a lease → its last beat, and when that was first seen, by the monotonic clock of this process. */
  readonly #seen = new Map<string, { beat: number; at: number }>();
  /** File of a lease → what it says, which does not change. */
  readonly #leases = new Map<string, LeaseHolder>();
  readonly #turns = new Turns(MAX_LOOKS);

  constructor(folder: SharedFolder) {
    this.#folder = folder;
  }

  /** The attempts of a shard, in order. @param names the files in the folder of leases */
  async attemptsOf(shard: number, names: readonly string[]): Promise<SeenAttempt[]> {
    const numbers = names
      .flatMap(name => numbersOf(name) ?? [])
      .filter(each => each.shard === shard)
      .map(({ attempt }) => attempt)
      .sort((a, b) => a - b);
    const attempts: SeenAttempt[] = [];
    for (const number of numbers) {
      const lease = await this.#leaseOf(leaseName(shard, number));
      const beat = await readBeat(this.#folder, shard, number);
      const silentMs = this.#silence(leaseName(shard, number), beat);
      const isDead = lease === undefined || processIsGone(lease);
      attempts.push({ number, row: lease?.row ?? 0, beat, isDead, silentMs });
    }
    return attempts;
  }

  /**
   * Looks at the leases of shards, so that it is known how long they were silent when that matters. If there are many
   * shards, each look continues where the last one ended.
   */
  async look(shards: readonly number[]): Promise<void> {
    const leases = await this.#folder.list('leases');
    this.#forgetAllBut(leases);
    const leased = new Set(leases.map(name => numbersOf(name)?.shard));
    const held = shards.filter(shard => leased.has(shard));
    for (const shard of this.#turns.next(held)) await this.attemptsOf(shard, leases);
  }

  /** Forgets attempts that are gone, because the run may have been planned again. */
  #forgetAllBut(names: readonly string[]): void {
    const there = new Set(names.map(name => `leases/${name}`));
    for (const lease of this.#seen.keys()) if (!there.has(lease)) this.#seen.delete(lease);
    for (const lease of this.#leases.keys()) if (!there.has(lease)) this.#leases.delete(lease);
  }

  async #leaseOf(name: string): Promise<LeaseHolder | undefined> {
    const lease = this.#leases.get(name) ?? (await readRecord(this.#folder, name, leaseShape));
    if (lease !== undefined) this.#leases.set(name, lease);
    return lease;
  }

  #silence(lease: string, beat: Beat | undefined): number {
    const now = performance.now();
    const last = this.#seen.get(lease);
    const number = beat?.beat ?? 0;
    if (last?.beat === number) return now - last.at;
    this.#seen.set(lease, { beat: number, at: now });
    return 0;
  }
}
