/** How far ahead of its rate a key may get before its next request is rejected, in milliseconds. */
const BURST_MS = 1_000;

/**
 * Limits the rows per second of each key. The number of rows in a request is known only after reading it, so a request
 * may put its key into debt, and later requests are rejected until the debt is paid off. The only state of a key is the
 * time until which its rows are accounted for (generic cell rate algorithm, ITU-T I.371: a token bucket, no timer).
 */
export class RowRate {
  /** Rows per second; Infinity means no limit. */
  readonly perSecond: number;
  readonly #now: () => number;
  /** By key name. Never pruned: its size is bounded by the number of keys ever added. */
  readonly #accountedUntil = new Map<string, number>();

  /** @param now a monotonic clock, in milliseconds */
  constructor(perSecond = Number.POSITIVE_INFINITY, now = () => performance.now()) {
    this.perSecond = perSecond;
    this.#now = now;
  }

  /** Rows per batch of an upload, chosen so that it makes progress every second. */
  get batchRows(): number {
    return Math.max(1, Math.floor(this.perSecond));
  }

  /** Seconds until the key's next request is accepted; 0 if it is accepted now. */
  retryAfter(key: string): number {
    const late = this.#ahead(key) - BURST_MS;
    return late < 0 ? 0 : Math.max(1, Math.ceil(late / 1000));
  }

  /**
   * Charges the key for rows that are about to be scored.
   *
   * @returns milliseconds until the rows charged earlier are accounted for. Uploads wait this long, so that the uploads
   * and requests of one key take turns
   */
  charge(key: string, rows: number): number {
    if (this.perSecond === Number.POSITIVE_INFINITY) return 0;
    const ahead = this.#ahead(key);
    this.#accountedUntil.set(key, this.#now() + ahead + (rows / this.perSecond) * 1000);
    return ahead;
  }

  /** Milliseconds until the rows charged so far are accounted for. */
  #ahead(key: string): number {
    return Math.max(0, (this.#accountedUntil.get(key) ?? 0) - this.#now());
  }
}
