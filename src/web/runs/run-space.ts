import { RequestError } from '../../server/problems/problems.ts';
import { bytesText } from '../data/bytes-text.ts';
import type { Quota } from '../data/quota.ts';
import type { RunStore } from './run-store.ts';

/** The disk space of runs, which count against the quota of the data. */
export class RunSpace {
  readonly #store: RunStore;
  readonly #quota: Quota;

  private constructor(store: RunStore, quota: Quota) {
    this.#store = store;
    this.#quota = quota;
  }

  /** Removes the outputs of runs whose process was killed, and counts what is there. */
  static async open(store: RunStore, quota: Quota): Promise<RunSpace> {
    for (const id of await store.ids()) {
      if ((await store.read(id))?.status === 'interrupted') await store.removeOutput(id);
      quota.add(await store.size(id));
    }
    return new RunSpace(store, quota);
  }

  /** Space for the output of a run that is about to begin. */
  reserve(id: string): Reserved {
    const [store, quota] = [this.#store, this.#quota];
    let taken = 0;
    return {
      cover(bytes) {
        if (bytes <= taken) return;
        if (!quota.take(bytes - taken)) throw exceeded(quota);
        taken = bytes;
      },
      async settle() {
        quota.release(taken);
        quota.add(await store.size(id));
      },
    };
  }

  /** Releases the space of a run that is being removed. */
  async removing(id: string, remove: () => Promise<void>): Promise<void> {
    const size = await this.#store.size(id);
    await remove();
    this.#quota.release(size);
  }
}

export interface Reserved {
  /** @throws RequestError `quota_exceeded` */
  cover(bytes: number): void;
  /** Counts what the run has left, instead of what was reserved. */
  settle(): Promise<void>;
}

const exceeded = ({ free, total }: Quota): RequestError =>
  new RequestError(
    'quota_exceeded',
    `The output does not fit: ${bytesText(free)} of ${bytesText(total)} are free. Delete runs or data that are no longer needed.`,
  );
