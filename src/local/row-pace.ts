import { setTimeout as sleep } from 'node:timers/promises';

/** The longest time that a timer can wait for. */
const MAX_SLEEP_MS = 2 ** 31 - 1;

/** Spreads rows evenly over time. */
export class RowPace {
  readonly #perSecond: number;
  /** When the next rows may be scored, from `performance.now()`. */
  #next = 0;

  /** @param perSecond no limit if omitted */
  constructor(perSecond = Number.POSITIVE_INFINITY) {
    this.#perSecond = perSecond;
  }

  /** Waits until this many rows may be scored. @throws AbortError */
  async next(rows: number, signal: AbortSignal): Promise<void> {
    if (this.#perSecond === Number.POSITIVE_INFINITY) return;
    const now = performance.now();
    const at = Math.max(this.#next, now);
    this.#next = at + (1000 * rows) / this.#perSecond;
    for (let left = at - now; left > 0; left = at - performance.now())
      await sleep(Math.min(left, MAX_SLEEP_MS), undefined, { signal });
  }
}
