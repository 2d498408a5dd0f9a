import { processIsGone } from '../../storage/local/locks/lock-holder.ts';
import type { SharedFolder } from '../../storage/shared-folder.ts';
import { doneName, lastAttemptsIn, leaseName, numbersOf } from '../folder/names.ts';
import type { SeenAttempt } from '../folder/next-attempt.ts';
import { readHeartbeat, readRecord } from '../folder/read-record.ts';
import { type LeaseHolder, leaseShape, resultShape, type ShardHeartbeat } from '../folder/result-shape.ts';

/**
 * How many shards each look reads. There is one look a second, so with 100 shards in progress, each is seen every 4 s,
 * and a worker reads no more files however many there are.
 */
const MAX_LOOKS = 25;

/** What one worker has seen of the leases of others. */
export class LeaseWatch {
  readonly #folder: SharedFolder;
  /** File of a lease → its last beat, and when that was first seen, by the monotonic clock of this process. */
  readonly #seen = new Map<string, { beat: number; at: number }>();
  /** File of a lease → what it says, which does not change. */
  readonly #leases = new Map<string, LeaseHolder>();
  readonly #turns = new ShardTurns(MAX_LOOKS);

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
      const beat = await readHeartbeat(this.#folder, shard, number);
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

  #silence(lease: string, beat: ShardHeartbeat | undefined): number {
    const now = performance.now();
    const last = this.#seen.get(lease);
    const number = beat?.beat ?? 0;
    if (last?.beat === number) return now - last.at;
    this.#seen.set(lease, { beat: number, at: now });
    return 0;
  }
}

/**
 * Chooses a few of many shards, the next ones each time, so that a worker reads no more files however many shards there
 * are.
 */
export class ShardTurns {
  readonly #most: number;
  #last = -1;

  /** @param most how many it chooses */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param shards in order */
  next(shards: readonly number[]): number[] {
    const later = shards.filter(shard => shard > this.#last);
    const chosen = [...later, ...shards.slice(0, shards.length - later.length)].slice(0, this.#most);
    this.#last = chosen.at(-1) ?? this.#last;
    return chosen;
  }
}

interface Counts {
  read: number;
  rejected: number;
}

/** How many heartbeats of others each count reads, every 2.5 s; with 100 workers, each is read every 10 s. */
const MAX_READS = 25;

/** Counts the rows of all shards but the one that a process scores itself. */
export class OtherShards {
  readonly #folder: SharedFolder;
  /** Results do not change, so each is read once. */
  readonly #finished = new Map<number, Counts>();
  /** What was last read of those in progress. */
  readonly #running = new Map<number, Counts>();
  readonly #turns = new ShardTurns(MAX_READS);

  constructor(folder: SharedFolder) {
    this.#folder = folder;
  }

  async count(own: number): Promise<Counts> {
    const total = { read: 0, rejected: 0 };
    const add = ({ read, rejected }: Counts): void => {
      total.read += read;
      total.rejected += rejected;
    };
    for (const name of await this.#folder.list('done')) {
      const shard = numbersOf(name)?.shard;
      if (shard === undefined || this.#finished.has(shard)) continue;
      const result = await readRecord(this.#folder, doneName(shard), resultShape);
      if (result !== undefined) this.#finished.set(shard, result.rowCounts);
    }
    const attempts = lastAttemptsIn(await this.#folder.list('beats'));
    const running = [...attempts.keys()].filter(shard => shard !== own && !this.#finished.has(shard));
    for (const shard of this.#turns.next(running)) {
      const beat = await readHeartbeat(this.#folder, shard, attempts.get(shard) ?? 0);
      if (beat !== undefined) this.#running.set(shard, beat);
    }
    for (const counts of this.#finished.values()) add(counts);
    for (const shard of running) add(this.#running.get(shard) ?? { read: 0, rejected: 0 });
    return total;
  }
}
