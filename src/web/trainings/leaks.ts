import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { HistoryOptions } from '../../training/rows/read-history.ts';

/** A page does not wait longer than this; when it is loaded again, the result may be there. */
const WAIT_MS = 1_500;
const MAX_KEPT = 100;

/** Finds columns that leak the column to predict, in a thread so that predictions are not delayed; one at a time. */
export class Leaks {
  /** By what was asked for, the oldest first. */
  readonly #known = new Map<string, Promise<readonly string[]>>();
  #last: Promise<unknown> = Promise.resolve();

  /** The names of such columns, as far as they are known in time. */
  async of(options: HistoryOptions): Promise<readonly string[]> {
    const key = JSON.stringify(options);
    let found = this.#known.get(key);
    if (found === undefined) {
      found = this.#last.then(() => findLeaks(options));
      this.#last = found;
      this.#known.set(key, found);
      const [oldest] = this.#known.keys();
      if (this.#known.size > MAX_KEPT && oldest !== undefined) this.#known.delete(oldest);
    }
    return Promise.race([found, sleep(WAIT_MS, [], { ref: false })]);
  }
}

/** A failure only means that the page has no hint. */
async function findLeaks(options: HistoryOptions): Promise<readonly string[]> {
  const worker = new Worker(new URL('./leak-worker.js', import.meta.url), {
    workerData: options,
    execArgv: [],
  });
  worker.unref();
  try {
    const ended = once(worker, 'exit').then(() => [[]]);
    const [names]: readonly string[][] = await Promise.race([once(worker, 'message'), ended]); // as the thread posts
    return names ?? [];
  } catch {
    return [];
  } finally {
    await worker.terminate();
  }
}
