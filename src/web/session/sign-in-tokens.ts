import { createHash, randomBytes } from 'node:crypto';

const TOKEN_BYTES = 32;
/** Long enough to read the terminal and open a browser. */
const LIFETIME_MS = 15 * 60_000;
/** The oldest is dropped; a terminal shows one. */
const MAX_TOKENS = 16;

/** Tokens that sign in once, as the owner of the service, for a while. Only their hashes are kept. */
export class SignInTokens {
  /** When each expires, by hash, the oldest first. */
  readonly #expiries = new Map<string, number>();
  readonly #now: () => number;

  /** @param now a monotonic clock, in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  create(): string {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#expiries.set(tokenHash(token), this.#now() + LIFETIME_MS);
    const [oldest] = this.#expiries.keys();
    if (this.#expiries.size > MAX_TOKENS && oldest !== undefined) this.#expiries.delete(oldest);
    return token;
  }

  /** Uses up a token. @returns whether it was valid */
  take(token: string): boolean {
    const hash = tokenHash(token);
    const expiry = this.#expiries.get(hash);
    this.#expiries.delete(hash);
    return expiry !== undefined && this.#now() < expiry;
  }
}

/** The time of a lookup by hash reveals nothing about a token. */
const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex');
