import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { resultOf, startThread } from '../../base/thread-result.ts';
import type { HistoryOptions } from '../../training/rows/read-history.ts';
import { Recent } from '../recent.ts';

/** A page does not wait longer than this; when it is loaded again, the result may be there. */
const WAIT_MS = 1_500;
const MAX_KEPT = 100;
/** What the thread may take; the first rows of an ordinary file need a tenth. */
const MAX_HEAP_MB = 512;

interface Search {
  options: HistoryOptions;
  resolve(names: readonly string[]): void;
  reject(reason: Error): void;
}

/**
 * Finds columns that leak the column to predict, in a thread so that predictions are not delayed. One search runs and
 * one waits: the latest, because its page is the one that is being looked at.
 */
export class Leaks {
  readonly #waitMs: number;
  readonly #known = new Recent<readonly string[]>(MAX_KEPT);
  #worker: Worker | undefined;
  #waiting: Search | undefined;

  constructor(waitMs = WAIT_MS) {
    this.#waitMs = waitMs;
  }

  /** The names of such columns, as far as they are known in time. */
  async of(options: HistoryOptions): Promise<readonly string[]> {
    const found = this.#known.get(JSON.stringify(options), '', () => this.#search(options));
    return Promise.race([found.catch(() => []), sleep(this.#waitMs, [], { ref: false })]);
  }

  /** Ends what is running. */
  async close(): Promise<void> {
    this.#drop();
    await this.#worker?.terminate();
  }

  #search(options: HistoryOptions): Promise<readonly string[]> {
    this.#drop();
    const found = new Promise<readonly string[]>((resolve, reject) => {
      this.#waiting = { options, resolve, reject };
    });
    if (this.#worker === undefined) void this.#next();
    return found;
  }

  /** What the search that waits would find is found out when its page is loaded again. */
  #drop(): void {
    this.#waiting?.reject(new Error('another search has taken its turn'));
    this.#waiting = undefined;
  }

  async #next(): Promise<void> {
    for (let search = this.#waiting; search !== undefined; search = this.#waiting) {
      this.#waiting = undefined;
      this.#worker = startThread(new URL('./leak-worker.js', import.meta.url), search.options, {
        resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      });
      this.#worker.unref();
      // A failure only means that the page has no hint.
      search.resolve(await resultOf<string[]>(this.#worker, 'leak-searching').catch(() => []));
      this.#worker = undefined;
    }
  }
}
