import type { SharedFolder } from '../../storage/shared-folder.ts';
import { doneName, numbersOf } from '../folder/names.ts';
import { readRecord } from '../folder/read-record.ts';
import { resultShape } from '../folder/result-shape.ts';
import { readBeat } from './read-beat.ts';
import { Turns } from './shard-turns.ts';

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
  readonly #turns = new Turns(MAX_READS);

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
    const attempts = await this.#lastAttempts();
    const running = [...attempts.keys()].filter(shard => shard !== own && !this.#finished.has(shard));
    for (const shard of this.#turns.next(running)) {
      const beat = await readBeat(this.#folder, shard, attempts.get(shard) ?? 0);
      if (beat !== undefined) this.#running.set(shard, beat);
    }
    for (const counts of this.#finished.values()) add(counts);
    for (const shard of running) add(this.#running.get(shard) ?? { read: 0, rejected: 0 });
    return total;
  }

  async #lastAttempts(): Promise<Map<number, number>> {
    const last = new Map<number, number>();
    for (const { shard, attempt } of (await this.#folder.list('beats')).flatMap(
      name => numbersOf(name) ?? [],
    ))
      last.set(shard, Math.max(attempt, last.get(shard) ?? 0));
    return last;
  }
}
