import { isIPv6 } from 'node:net';

/** Wrong keys that an address may send in a burst; after that, one per interval. */
const BURST = 20;
const REFILL_MS = 6_000;
/** Limits the addresses and the pairs of address and key that are remembered; the least recently seen are dropped. */
const MAX_REMEMBERED = 10_000;

interface Bucket {
  /** Wrong keys still allowed at time `at`; may be fractional. */
  left: number;
  at: number;
}

/**
 * Throttles guessing of keys, by address. Behind a proxy all clients share one address, so a key that was accepted from
 * an address before stays accepted while others are throttled.
 */
export class WrongKeys {
  /** By address, the most recently seen last. */
  readonly #buckets = new Map<string, Bucket>();
  readonly #good = new Map<string, true>();
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
    remember(this.#buckets, network, bucket);
    return 0;
  }

  /** Records a valid key. @returns seconds to wait if it might have been guessed, otherwise 0 */
  succeeded(address: string, name: string): number {
    const network = networkOf(address);
    const pair = `${network} ${name}`;
    const bucket = this.#bucket(network);
    if (bucket.left < 1 && !this.#good.has(pair)) return this.#wait(bucket);
    remember(this.#good, pair, true);
    return 0;
  }

  /** The number of remembered entries. */
  get size(): number {
    return this.#buckets.size + this.#good.size;
  }

  #bucket(network: string): Bucket {
    const at = this.#now();
    const known = this.#buckets.get(network);
    if (known === undefined) return { left: BURST, at };
    known.left = Math.min(BURST, known.left + (at - known.at) / REFILL_MS);
    known.at = at;
    return known;
  }

  #wait({ left }: Bucket): number {
    return Math.max(1, Math.ceil(((1 - left) * REFILL_MS) / 1_000));
  }
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_REMEMBERED && oldest !== undefined) map.delete(oldest);
}

/** One customer has a whole /64 of IPv6 addresses (RFC 6177). IPv4 addresses may be IPv4-mapped. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return groups.slice(0, 4).join(':');
}
