import { networkOf } from '../http/client-network.ts';

/** Wrong keys that an address may send in a burst; after that, one per interval. */
const BURST = 20;
const REFILL_MS = 6_000;
/** The most addresses that are remembered; the least recently seen are dropped. */
const MAX_REMEMBERED = 10_000;

interface Bucket {
  /** Wrong keys still allowed at time `at`; may be fractional. */
  left: number;
  at: number;
}

/**
 * Throttles the responses to wrong keys, by address. A key that matches is never throttled: behind a proxy all clients
 * share one address, so one of them could lock out the others. Guessing a stored key is hopeless at any rate.
 */
export class WrongKeys {
  /** By address, the most recently seen last. */
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Records a wrong key. @returns seconds to wait if the limit is exceeded, otherwise 0 */
  failed(address: string): number {
    const network = networkOf(address);
    const bucket = this.#bucket(network);
    if (bucket.left < 1) return this.#wait(bucket);
    bucket.left--;
    this.#remember(network, bucket);
    return 0;
  }

  /** The number of remembered addresses. */
  get size(): number {
    return this.#buckets.size;
  }

  #bucket(network: string): Bucket {
    const at = this.#now();
    const known = this.#buckets.get(network);
    if (known === undefined) return { left: BURST, at };
    known.left = Math.min(BURST, known.left + (at - known.at) / REFILL_MS);
    known.at = at;
    return known;
  }

  #remember(network: string, bucket: Bucket): void {
    this.#buckets.delete(network);
    this.#buckets.set(network, bucket);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MAX_REMEMBERED && oldest !== undefined) this.#buckets.delete(oldest);
  }

  #wait({ left }: Bucket): number {
    return Math.max(1, Math.ceil(((1 - left) * REFILL_MS) / 1_000));
  }
}
