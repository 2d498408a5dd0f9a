import { isIPv6 } from 'node:net';

/** Wrong keys that an address may send at once, and then one per interval. */
const BURST = 20;
const REFILL_MS = 6_000;
/** Addresses, and pairs of address and key, that are remembered; the least recently seen are forgotten. */
const MAX_REMEMBERED = 10_000;

interface Bucket {
  /** Wrong keys that may still come at `at`, in fractions. */
  left: number;
  at: number;
}

/**
 * Slows down who guesses keys, by address. Behind a proxy all clients have one address, so a key that was good there
 * before stays good while others are held back.
 */
export class WrongKeys {
  /** By address, the most recently seen last. */
  readonly #buckets = new Map<string, Bucket>();
  readonly #good = new Map<string, true>();
  readonly #now: () => number;

  /** @param now in milliseconds, from any point in time */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** A wrong key came. @returns seconds to wait where it was one too many, otherwise 0 */
  failed(address: string): number {
    const network = networkOf(address);
    const bucket = this.#bucket(network);
    if (bucket.left < 1) return this.#wait(bucket);
    bucket.left--;
    remember(this.#buckets, network, bucket);
    return 0;
  }

  /** A good key came. @returns seconds to wait where that could have been guessed, otherwise 0 */
  succeeded(address: string, name: string): number {
    const network = networkOf(address);
    const pair = `${network} ${name}`;
    const bucket = this.#bucket(network);
    if (bucket.left < 1 && !this.#good.has(pair)) return this.#wait(bucket);
    remember(this.#good, pair, true);
    return 0;
  }

  /** How much is remembered. */
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

/** One customer has a whole /64 of IPv6 addresses (RFC 6177); IPv4 ones may come mapped. */
function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right];
  return groups.slice(0, 4).join(':');
}
