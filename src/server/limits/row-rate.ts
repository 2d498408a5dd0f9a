/** How far ahead of its rate a key may be before another call is refused, in milliseconds. */
const BURST_MS = 1_000;

/**
 * How many rows per second each key may have scored. How many rows a call has is known only once it was read, so a call
 * may get its key into debt, and those after it wait until that is paid off. All that is kept of a key is the time until
 * which its rows are accounted for (the generic cell rate algorithm, ITU-T I.371, a token bucket without a timer).
 */
export class RowRate {
  /** Rows per second; Infinity where there is no limit. */
  readonly perSecond: number;
  readonly #now: () => number;
  /** By the name of a key, of which there are as many as were ever added. */
  readonly #accountedUntil = new Map<string, number>();

  /** @param now milliseconds of a monotonic clock */
  constructor(perSecond = Number.POSITIVE_INFINITY, now = () => performance.now()) {
    this.perSecond = perSecond;
    this.#now = now;
  }

  /** Rows of an upload that are scored at once, so that it moves every second. */
  get batchRows(): number {
    return Math.max(1, Math.floor(this.perSecond));
  }

  /** Seconds after which a call of the key is taken again; 0 where it is taken now. */
  retryAfter(key: string): number {
    const late = this.#ahead(key) - BURST_MS;
    return late < 0 ? 0 : Math.max(1, Math.ceil(late / 1000));
  }

  /**
   * Accounts for rows that are about to be scored.
   *
   * @returns milliseconds until the rows before them are accounted for: how long an upload has to wait, so that uploads
   * and calls of one key take turns
   */
  charge(key: string, rows: number): number {
    if (this.perSecond === Number.POSITIVE_INFINITY) return 0;
    const ahead = this.#ahead(key);
    this.#accountedUntil.set(key, this.#now() + ahead + (rows / this.perSecond) * 1000);
    return ahead;
  }

  /** Milliseconds until the rows so far are accounted for. */
  #ahead(key: string): number {
    return Math.max(0, (this.#accountedUntil.get(key) ?? 0) - this.#now());
  }
}
