import { timingSafeEqual } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hashOf, keysFolder, keysVersion, listKeys, type StoredKey, unlessMissing } from './key-store.ts';
import { KeyUse } from './key-use.ts';
import type { Scope } from './scopes.ts';

/** Whom a key was given to. */
export interface Principal {
  /** The key's name, fit for a log. */
  name: string;
  /** Whether the key is good for an endpoint. */
  hasScope(scope: Scope): boolean;
  /** Whether the key is good for a report. */
  canAccess(report: string): boolean;
}

/** What became of an Authorization header: nobody's is one without a key, or with a key that there is not. */
export type KeyLookup =
  | { kind: 'principal'; principal: Principal }
  | { kind: 'expired'; principal: Principal }
  | { kind: 'none' }
  | { kind: 'wrong' };

export interface KeyRingOptions {
  /** A key for everything that stands in no file, and what it is called. */
  own?: { name: string; key: string } | undefined;
  /** A home whose keys are good too, as they are at each request. */
  home?: string | undefined;
}

interface Entry {
  hash: Buffer;
  principal: Principal;
  /** Milliseconds since the epoch. */
  expires: number;
}

interface Known {
  /** When the folder last changed, in milliseconds. */
  folderTime: number;
  /** What the folder and its files looked like. */
  version: string | undefined;
  readAt: number;
  entries: readonly Entry[];
}

/**
 * File systems tell times in steps of up to two seconds (FAT): a folder that changed so recently may change again
 * without its time showing it.
 */
const STEP_MS = 2_000;
/** How long a key file that was edited in place may go unnoticed: its folder's time does not show that. */
const LOOK_EVERY_MS = 1_000;

/** The keys that open the service. Those of the home are read again when their folder or one of them has changed. */
export class KeyRing {
  readonly #own: readonly Entry[];
  readonly #home: string | undefined;
  readonly #use: KeyUse | undefined;
  #known: Known | undefined;

  constructor({ own, home }: KeyRingOptions) {
    const all: Principal = { name: own?.name ?? '', hasScope: () => true, canAccess: () => true };
    this.#own =
      own === undefined ? [] : [{ hash: hashOf(own.key), principal: all, expires: Number.POSITIVE_INFINITY }];
    this.#home = home;
    this.#use = home === undefined ? undefined : new KeyUse(home);
  }

  /**
   * Who sends an Authorization header. All keys are compared, as hashes and in constant time, so that neither a key's
   * length nor how much of it was right can be measured.
   */
  async find(header: string | undefined): Promise<KeyLookup> {
    const given = /^ApiKey +(\S+) *$/i.exec(header ?? '')?.[1];
    if (given === undefined) return { kind: 'none' };
    const hash = hashOf(given);
    // The service's own key does not wait for the disk.
    const own = match(this.#own, hash);
    if (own !== undefined) return { kind: 'principal', principal: own.principal };
    const stored = this.#home === undefined ? [] : await this.#storedIn(this.#home);
    const found = match(stored, hash);
    if (found === undefined) return { kind: 'wrong' };
    if (found.expires <= Date.now()) return { kind: 'expired', principal: found.principal };
    this.#use?.note(found.principal.name);
    return { kind: 'principal', principal: found.principal };
  }

  /** Has the stored keys read again with the next request, whatever their times say. */
  forget(): void {
    this.#known = undefined;
  }

  async #storedIn(home: string): Promise<readonly Entry[]> {
    const folderTime = await timeOf(keysFolder(home));
    if (folderTime === undefined) return [];
    const known = this.#known;
    const now = Date.now();
    if (known !== undefined && known.folderTime === folderTime) {
      if (now - known.readAt < LOOK_EVERY_MS) return known.entries;
      if ((await keysVersion(home)) === known.version) {
        known.readAt = now;
        return known.entries;
      }
    }
    // Taken before the keys are read: what changes meanwhile is read again.
    const version = await keysVersion(home);
    const entries = (await listKeys(home)).flatMap(({ key }) => (key === undefined ? [] : [entryOf(key)]));
    this.#known = now - folderTime > STEP_MS ? { folderTime, version, readAt: now, entries } : undefined;
    return entries;
  }
}

function match(entries: readonly Entry[], hash: Buffer): Entry | undefined {
  let found: Entry | undefined;
  for (const entry of entries) if (timingSafeEqual(entry.hash, hash)) found = entry;
  return found;
}

function entryOf({ name, sha256, reports, scopes: granted, expires }: StoredKey): Entry {
  return {
    hash: Buffer.from(sha256, 'hex'),
    principal: {
      name,
      hasScope: scope => granted.includes(scope),
      canAccess: report => reports === 'all' || reports.includes(report),
    },
    expires: expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(expires),
  };
}

/** When a folder last changed, in milliseconds; undefined where there is none. */
async function timeOf(folder: string): Promise<number | undefined> {
  return (await stat(folder).catch(unlessMissing))?.mtimeMs;
}
