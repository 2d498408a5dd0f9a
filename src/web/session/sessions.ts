import { createHash, randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { scopes } from '../../server/auth/key-file.ts';
import type { KeyRing } from '../../server/auth/key-ring.ts';
import { everything, type Principal } from '../../server/auth/principal.ts';
import type { Notice } from '../notice.ts';

/** Longer than a lunch break. */
const IDLE_MS = 4 * 3_600_000;
/** A day of work. */
const LIFETIME_MS = 16 * 3_600_000;
/** Sessions of one key; the one idle for longest ends. */
const MAX_PER_KEY = 20;
const MAX_SESSIONS = 2_000;
/** How often sessions are looked up that nobody uses now, to end what they have started. */
const SWEEP_MS = 5_000;
const ID_BYTES = 32;

/** Who signed in: the owner of the service, from its terminal, or the holder of a key, by the key's hash. */
export type Holder = { kind: 'owner' } | { kind: 'key'; hash: Buffer };

/** The name of the owner, also in the log; no stored key can have this name. */
export const OWNER = '(owner)';

export interface Session {
  /** The key as it was at sign-in: when its rights change, the session ends. */
  readonly principal: Principal;
  /** Sent with everything that changes something; see `csrf.ts`. */
  readonly csrfToken: string;
  /** Aborted when the session ends, to end what it has started to send. */
  readonly ended: AbortSignal;
  /** To be shown on the next page. */
  notices: Notice[];
}

interface Entry {
  holder: Holder;
  session: Session;
  end: AbortController;
  createdAt: number;
  usedAt: number;
}

/** Sessions in memory: a restart of the service ends them. Only hashes of their ids are kept. */
export class Sessions {
  readonly #keys: KeyRing;
  readonly #now: () => number;
  /** By hash of the id, the one idle for longest first. */
  readonly #entries = new Map<string, Entry>();
  readonly #sweeping: NodeJS.Timeout;

  /** @param now a monotonic clock, in milliseconds */
  constructor(keys: KeyRing, now: () => number = () => performance.now()) {
    this.#keys = keys;
    this.#now = now;
    this.#sweeping = setInterval(() => void this.sweep(), SWEEP_MS).unref();
  }

  /**
   * Starts a session.
   *
   * @param browser what the browser also has to send, as part of the id by which the session is found: see `boundId`
   * @returns its id, or undefined if the key is not valid or lacks the scope
   */
  async open(holder: Holder, browser: string): Promise<string | undefined> {
    const principal = await this.#principalOf(holder, true);
    if (principal === undefined) return undefined;
    this.#endOldest(principal.name);
    const id = randomBytes(ID_BYTES).toString('base64url');
    const end = new AbortController();
    // Every upload, download and stream of events of the session listens to it.
    setMaxListeners(0, end.signal);
    const csrfToken = randomBytes(ID_BYTES).toString('base64url');
    const session = { principal, csrfToken, ended: end.signal, notices: [] };
    const now = this.#now();
    this.#entries.set(hashOf(boundId(id, browser)), { holder, session, end, createdAt: now, usedAt: now });
    return id;
  }

  /** The session with that bound id, unless it has ended, or its key was revoked or changed or has expired. */
  async find(id: string | undefined): Promise<Session | undefined> {
    if (id === undefined) return undefined;
    const hash = hashOf(id);
    const entry = await this.#current(hash, true);
    if (entry === undefined) return undefined;
    entry.usedAt = this.#now();
    // Moves it to the end. It may have ended while its key was looked up.
    if (this.#entries.delete(hash)) this.#entries.set(hash, entry);
    return entry.end.signal.aborted ? undefined : entry.session;
  }

  /** Whether the session still goes on; does not count as a use of it. */
  async isOpen(id: string | undefined): Promise<boolean> {
    return id !== undefined && (await this.#current(hashOf(id), false)) !== undefined;
  }

  end(id: string | undefined): void {
    if (id !== undefined) this.#end(hashOf(id));
  }

  /** Ends what should have ended, so that nothing more is sent to it. */
  async sweep(): Promise<void> {
    const looks = [...this.#entries.keys()].map(hash => this.#current(hash, false));
    // What fails is tried again the next time.
    await Promise.allSettled(looks);
  }

  close(): void {
    clearInterval(this.#sweeping);
    for (const hash of [...this.#entries.keys()]) this.#end(hash);
  }

  get size(): number {
    return this.#entries.size;
  }

  /** @param isUse whether somebody uses the session now */
  async #current(hash: string, isUse: boolean): Promise<Entry | undefined> {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return undefined;
    const now = this.#now();
    const isOver = now - entry.usedAt >= IDLE_MS || now - entry.createdAt >= LIFETIME_MS;
    const principal = isOver ? undefined : await this.#principalOf(entry.holder, isUse);
    if (principal !== undefined && isSame(principal, entry.session.principal)) return entry;
    this.#end(hash);
    return undefined;
  }

  async #principalOf(holder: Holder, isUse: boolean): Promise<Principal | undefined> {
    if (holder.kind === 'owner') return everything(OWNER);
    const found = await this.#keys.findHash(holder.hash, isUse);
    return found.kind === 'principal' && found.principal.hasScope('platform') ? found.principal : undefined;
  }

  #endOldest(name: string): void {
    const own = [...this.#entries].filter(([, { session }]) => session.principal.name === name);
    const [[oldestOwn] = []] = own;
    const [oldest] = this.#entries.keys();
    if (own.length >= MAX_PER_KEY && oldestOwn !== undefined) this.#end(oldestOwn);
    else if (this.#entries.size >= MAX_SESSIONS && oldest !== undefined) this.#end(oldest);
  }

  #end(hash: string): void {
    const entry = this.#entries.get(hash);
    this.#entries.delete(hash);
    entry?.end.abort();
  }
}

/** The id of a session together with what it is bound to. */
export const boundId = (id: string, browser: string): string => `${id}.${browser}`;

/** The time of a lookup by hash reveals nothing about an id or a token. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Whether a key has the same rights as before. */
const isSame = (now: Principal, before: Principal): boolean =>
  now.expires === before.expires &&
  String(now.reports) === String(before.reports) &&
  scopes.every(scope => now.hasScope(scope) === before.hasScope(scope));

const TOKEN_BYTES = 32;
/** Long enough to read the terminal and open a browser. */
const TOKEN_LIFETIME_MS = 15 * 60_000;
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
    this.#expiries.set(hashOf(token), this.#now() + TOKEN_LIFETIME_MS);
    const [oldest] = this.#expiries.keys();
    if (this.#expiries.size > MAX_TOKENS && oldest !== undefined) this.#expiries.delete(oldest);
    return token;
  }

  /** Uses up a token. @returns whether it was valid */
  take(token: string): boolean {
    const hash = hashOf(token);
    const expiry = this.#expiries.get(hash);
    this.#expiries.delete(hash);
    return expiry !== undefined && this.#now() < expiry;
  }
}
