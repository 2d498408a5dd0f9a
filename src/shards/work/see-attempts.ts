import { processIsGone } from '../../storage/local/locks/lock-holder.ts';
import { beatName, leaseName, numbersOf } from '../folder/names.ts';
import { readRecord } from '../folder/read-plan.ts';
import type { SharedFolder } from '../folder/shared-folder.ts';
import type { SeenAttempt } from './next-attempt.ts';
import { type Beat, beatShape, leaseShape } from './result-shape.ts';

/** What one worker has seen of the leases of others. */
export class LeaseWatch {
  readonly #folder: SharedFolder;
  /** Lease → its last beat, and when that was first seen, by the monotonic clock of this process. */
  readonly #seen = new Map<string, { beat: number; at: number }>();

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
      const lease = await readRecord(this.#folder, leaseName(shard, number), leaseShape);
      const beat = await readRecord(this.#folder, beatName(shard, number), beatShape);
      const silentMs = this.#silence(leaseName(shard, number), beat);
      const isDead = lease === undefined || processIsGone(lease);
      attempts.push({ number, row: lease?.row ?? 0, beat, isDead, silentMs });
    }
    return attempts;
  }

  /** Looks at the leases of shards, so that it is known how long they were silent when that matters. */
  async look(shards: readonly number[]): Promise<void> {
    const leases = await this.#folder.list('leases');
    const leased = new Set(leases.map(name => numbersOf(name)?.shard));
    for (const shard of shards) if (leased.has(shard)) await this.attemptsOf(shard, leases);
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
