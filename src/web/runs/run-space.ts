import { RequestError } from '../../server/problems/problems.ts';
import { bytesText } from '../data/bytes-text.ts';
import type { Quota } from '../data/quota.ts';
import type { RunStore } from './run-store.ts';

/** The disk space of runs, which count against the quota of the data. It knows what it has counted for each run. */
export class RunSpace {
  readonly #store: RunStore;
  readonly #quota: Quota;
  readonly #counted = new Map<string, number>();

  private constructor(store: RunStore, quota: Quota) {
    this.#store = store;
    this.#quota = quota;
  }

  /** Removes the outputs of runs whose process was killed, and counts what is there. */
  static async open(store: RunStore, quota: Quota): Promise<RunSpace> {
    const space = new RunSpace(store, quota);
    for (const id of await store.ids()) {
      if ((await store.read(id))?.status === 'interrupted') await store.removeOutput(id);
      space.begin(id);
      await space.settle(id);
    }
    return space;
  }

  /** Begins to count a run. */
  begin(id: string): void {
    if (!this.#counted.has(id)) this.#counted.set(id, 0);
  }

  /**
   * Reserves what a run is about to have written; nothing for one that is being removed.
   *
   * @throws RequestError `quota_exceeded`
   */
  cover(id: string, bytes: number): void {
    const counted = this.#counted.get(id);
    if (counted === undefined || bytes <= counted) return;
    if (!this.#quota.take(bytes - counted)) throw exceeded(this.#quota);
    this.#counted.set(id, bytes);
  }

  /** Counts what a run has left, instead of what was reserved. */
  async settle(id: string): Promise<void> {
    const size = await this.#store.size(id);
    const counted = this.#counted.get(id);
    if (counted === undefined) return;
    this.#quota.add(size - counted);
    this.#counted.set(id, size);
  }

  /** Releases the space of a run that is removed next; once, however often it is called. */
  release(id: string): void {
    this.#quota.release(this.#counted.get(id) ?? 0);
    this.#counted.delete(id);
  }
}

const exceeded = ({ free, total }: Quota): RequestError =>
  new RequestError(
    'quota_exceeded',
    `The output does not fit: ${bytesText(free)} of ${bytesText(total)} are free. Delete runs or data that are no longer needed.`,
  );
