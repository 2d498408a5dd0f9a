import { beatName, doneName, numbersOf } from '../folder/names.ts';
import { readRecord } from '../folder/read-plan.ts';
import type { SharedFolder } from '../folder/shared-folder.ts';
import { beatShape, resultShape } from './result-shape.ts';

interface Counts {
  read: number;
  rejected: number;
}

/** Counts the rows of all shards but the one that a process scores itself. */
export class OtherShards {
  readonly #folder: SharedFolder;
  /** Results do not change, so each is read once. */
  readonly #finished = new Map<number, Counts>();

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
      if (result !== undefined) this.#finished.set(shard, result.accounts);
    }
    for (const counts of this.#finished.values()) add(counts);
    for (const [shard, attempt] of await this.#lastAttempts()) {
      if (shard === own || this.#finished.has(shard)) continue;
      const beat = await readRecord(this.#folder, beatName(shard, attempt), beatShape);
      if (beat !== undefined) add(beat);
    }
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
