import { timingSafeEqual } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { toUnreadableHome } from '../../storage/local/home-folder.ts';
import { unlessAbsent } from '../../storage/local/missing.ts';
import { keysFolder } from './key-file.ts';
import { keyHash, keysVersion, keyUse, listKeys } from './key-store.ts';
import { everything, type Principal, principalOf } from './principal.ts';

/** The result of looking up an Authorization header: `none` has no key, `wrong` an unknown one. */
type KeyLookup = { kind: 'principal' | 'expired'; principal: Principal } | { kind: 'none' | 'wrong' };

interface Entry {
  hash: Buffer;
  principal: Principal;
}

interface Known {
  /** When the keys folder last changed, in milliseconds. */
  folderTime: number;
  /** The state of the folder and its files; see `keysVersion`. */
  version: string | undefined;
  /** By `performance.now()`: a clock that is set back must not delay the next check. */
  checkedAt: number;
  entries: readonly Entry[];
}

/**
 * File systems store times with a resolution of up to two seconds (FAT): a folder that changed this recently may change
 * again without a visible change of its time.
 */
const STEP_MS = 2_000;
/** How long an in-place edit of a key file may go unnoticed, because it does not change the folder's time. */
const RECHECK_MS = 1_000;

/** The keys that the service accepts. Stored keys are read again when their folder or one of their files changes. */
export class KeyRing {
  readonly #own: readonly Entry[];
  readonly #home: string | undefined;
  readonly #use: ((name: string) => void) | undefined;
  readonly #clock = new ExpiryClock();
  #known: Known | undefined;
  /** The look at the stored keys that is in progress, and the one that begins after it. */
  #looking: Promise<readonly Entry[]> | undefined;
  #nextLook: Promise<readonly Entry[]> | undefined;

  /**
   * @param own a key with access to everything that is not stored in a file, and its name
   * @param home a data directory whose current keys are accepted too
   */
  constructor({ own, home }: { own?: { name: string; key: string } | undefined; home?: string | undefined }) {
    this.#own = own === undefined ? [] : [{ hash: keyHash(own.key), principal: everything(own.name) }];
    this.#home = home;
    this.#use = home === undefined ? undefined : keyUse(home);
  }

  /**
   * Looks up the principal of an Authorization header. All keys are compared, as hashes and in constant time, so
   * that timing reveals neither a key's length nor how much of a guess was correct.
   *
   * @throws RowcastError `unreadable_home`
   */
  async find(header: string | undefined): Promise<KeyLookup> {
    const given = /^ApiKey +(\S+) *$/i.exec(header ?? '')?.[1];
    return given === undefined ? { kind: 'none' } : this.findHash(keyHash(given));
  }

  /** Finds a key by its hash, which a session keeps. @param isUse whether it counts as a use of the key */
  async findHash(hash: Buffer, isUse = true): Promise<KeyLookup> {
    // The key from the options needs no disk access.
    const own = match(this.#own, hash);
    if (own !== undefined) return { kind: 'principal', principal: own.principal };
    const stored = this.#home === undefined ? [] : await this.#stored(this.#home);
    const { principal } = match(stored, hash) ?? {};
    if (principal === undefined) return { kind: 'wrong' };
    if (principal.expires <= this.#clock.now()) return { kind: 'expired', principal };
    if (isUse) this.#use?.(principal.name);
    return { kind: 'principal', principal };
  }

  /** Forces the stored keys to be read again at the next request, and believes the machine's clock again. */
  forget(): void {
    this.#known = undefined;
    this.#clock.reset();
  }

  /**
   * The stored keys. A look that is in progress may miss a change that was made before this call, so the call waits for
   * the next look, which all calls share that come meanwhile: wrong keys cost no more than one look at a time.
   */
  #stored(home: string): Promise<readonly Entry[]> {
    this.#nextLook ??= Promise.resolve(this.#looking?.catch(() => {})).then(() => {
      this.#looking = this.#nextLook;
      this.#nextLook = undefined;
      return this.#look(home).catch(toUnreadableHome(keysFolder(home), 'keys'));
    });
    return this.#nextLook;
  }

  async #look(home: string): Promise<readonly Entry[]> {
    const folderTime = (await stat(keysFolder(home)).catch(unlessAbsent))?.mtimeMs;
    if (folderTime === undefined) return [];
    const known = this.#known;
    const checkedAt = performance.now();
    if (known !== undefined && known.folderTime === folderTime) {
      if (checkedAt - known.checkedAt < RECHECK_MS) return known.entries;
      if ((await keysVersion(home)) === known.version) {
        known.checkedAt = checkedAt;
        return known.entries;
      }
    }
    // A time in the future is not recent: the clock was set back.
    const isSettled = Math.abs(Date.now() - folderTime) > STEP_MS;
    // Taken before the keys are read, so that concurrent changes are noticed.
    const version = await keysVersion(home);
    const entries = (await listKeys(home)).flatMap(({ key }) =>
      key === undefined ? [] : [{ hash: Buffer.from(key.sha256, 'hex'), principal: principalOf(key) }],
    );
    this.#known = isSettled ? { folderTime, version, checkedAt, entries } : undefined;
    return entries;
  }
}

function match(entries: readonly Entry[], hash: Buffer): Entry | undefined {
  let found: Entry | undefined;
  for (const entry of entries) if (timingSafeEqual(entry.hash, hash)) found = entry;
  return found;
}

/** How long a clock that has jumped forward is not trusted. */
const TRUST_AFTER_MS = 30_000;

/** The clocks to read, in milliseconds. */
export interface Clocks {
  /** Since the epoch; may be set. */
  wall(): number;
  /** Since any moment; never set. */
  monotonic(): number;
}

const ownClocks: Clocks = { wall: () => Date.now(), monotonic: () => performance.now() };

/**
 * The time by which keys expire. It does not go back when the machine's clock is set back, so that a key that has
 * expired stays expired. A jump forward counts at once, but is forgotten if the clock is set right within 30 s:
 * otherwise a mistake would make keys expire for good.
 */
export class ExpiryClock {
  readonly #clocks: Clocks;
  /** The time since the epoch at the zero of the monotonic clock, as far as it is trusted. */
  #zero: number;
  /** Since when the machine's clock has been ahead of the trusted time, by the monotonic clock. */
  #aheadSince: number | undefined;

  constructor(clocks: Clocks = ownClocks) {
    this.#clocks = clocks;
    this.#zero = clocks.wall() - clocks.monotonic();
  }

  /** Milliseconds since the epoch. */
  now(): number {
    const wall = this.#clocks.wall();
    const monotonic = this.#clocks.monotonic();
    const ahead = wall - (this.#zero + monotonic);
    if (ahead <= 0) {
      this.#aheadSince = undefined;
      return wall - ahead;
    }
    this.#aheadSince ??= monotonic;
    // A small difference is the clock being adjusted, as NTP does.
    if (ahead < TRUST_AFTER_MS || monotonic - this.#aheadSince >= TRUST_AFTER_MS) {
      this.#zero += ahead;
      this.#aheadSince = undefined;
    }
    return wall;
  }

  /** Trusts the machine's clock as it is now, also if it was set back. */
  reset(): void {
    this.#zero = this.#clocks.wall() - this.#clocks.monotonic();
    this.#aheadSince = undefined;
  }
}
