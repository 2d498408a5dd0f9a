import { timingSafeEqual } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hashOf, keysFolder, listKeys, unlessMissing } from './keys.ts';

/** Whom a key was given to. */
export interface Holder {
  /** The key's name, fit for a log. */
  name: string;
  /** Whether the key is good for a report. */
  mayUse(report: string): boolean;
}

export interface KeyRingOptions {
  /** A key for every report that stands in no file, and what it is called. */
  own?: { name: string; key: string } | undefined;
  /** A home whose keys are good too, as they are at each request. */
  home?: string | undefined;
}

interface Entry {
  hash: Buffer;
  holder: Holder;
}

/**
 * File systems tell times in steps of up to two seconds (FAT): a folder that changed so recently may change again
 * without its time showing it.
 */
const STEP_MS = 2_000;

/** The keys that open the service. Those of the home are read anew when their folder has changed. */
export class KeyRing {
  readonly #own: readonly Entry[];
  readonly #home: string | undefined;
  #known: { version: number; entries: readonly Entry[] } | undefined;

  constructor({ own, home }: KeyRingOptions) {
    this.#own = own === undefined ? [] : [entryOf(hashOf(own.key), own.name, 'all')];
    this.#home = home;
  }

  /**
   * Who sends an Authorization header, if its key is good. All keys are compared, as hashes and in constant time,
   * so that neither a key's length nor how much of it was right can be measured.
   */
  async holderOf(header: string | undefined): Promise<Holder | undefined> {
    const given = /^ApiKey +(\S+) *$/i.exec(header ?? '')?.[1];
    if (given === undefined) return undefined;
    const hash = hashOf(given);
    const stored = this.#home === undefined ? [] : await this.#storedIn(this.#home);
    let found: Holder | undefined;
    for (const entry of [...this.#own, ...stored])
      if (timingSafeEqual(entry.hash, hash)) found = entry.holder;
    return found;
  }

  /** Has the stored keys read again with the next request, whatever their times say. */
  forget(): void {
    this.#known = undefined;
  }

  async #storedIn(home: string): Promise<readonly Entry[]> {
    const version = await timeOf(keysFolder(home));
    if (version === undefined) return [];
    if (version === this.#known?.version) return this.#known.entries;
    const now = Date.now();
    const entries = (await listKeys(home)).flatMap(({ name, key }) =>
      key === undefined ? [] : [entryOf(Buffer.from(key.sha256, 'hex'), name, key.reports)],
    );
    this.#known = now - version > STEP_MS ? { version, entries } : undefined;
    return entries;
  }
}

function entryOf(hash: Buffer, name: string, reports: 'all' | readonly string[]): Entry {
  return { hash, holder: { name, mayUse: report => reports === 'all' || reports.includes(report) } };
}

/** When a folder last changed, in milliseconds; undefined where there is none. */
async function timeOf(folder: string): Promise<number | undefined> {
  return (await stat(folder).catch(unlessMissing))?.mtimeMs;
}
