import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestError } from '../problems/problems.ts';
import type { Limits } from '../service-limits.ts';
import { MainThreadTurns } from './fair-turns.ts';
import { keyOf, openShares, type Refusal } from './shares.ts';

/** Keeps one key from monopolizing the service: shares of common resources, a row rate limit, and round-robin turns. */
export class FairUse {
  readonly shares: ReturnType<typeof openShares>;
  readonly rowRate: RowRate;
  readonly turns = new MainThreadTurns();
  readonly onRefused: (refusal: Refusal) => void;

  /** @param maxRowsPerSecond for each key; no limit if undefined */
  constructor(limits: Limits, maxRowsPerSecond: number | undefined, onRefused: (refusal: Refusal) => void) {
    this.shares = openShares(limits, onRefused);
    this.rowRate = new RowRate(maxRowsPerSecond);
    this.onRefused = onRefused;
  }

  /** @throws RequestError `rate_limited` if the request's key has exceeded its row rate limit */
  checkRows(request: FastifyRequest, reply: FastifyReply): void {
    const seconds = this.rowRate.retryAfter(keyOf(request));
    if (seconds === 0) return;
    this.onRefused('row_rate');
    reply.header('retry-after', String(seconds));
    throw new RequestError(
      'rate_limited',
      `This key has exceeded its limit of ${this.rowRate.perSecond} rows per second.`,
    );
  }
}

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
