import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../base/number-text.ts';
import { RequestError } from '../server/problems/problems.ts';
import { unlessMissing } from '../storage/local/missing.ts';
import { OWNER } from './session/sessions.ts';
import { bytesText } from './texts.ts';

/**
 * The disk space of the platform. A key may take at most as much as it leaves free for others, so that none can fill
 * it; the owner of the service may take all of it.
 */
export class DiskQuota {
  readonly total: number;
  #used = 0;
  /** By the name of a key. */
  readonly #held = new Map<string, number>();

  constructor(total: number) {
    this.total = total;
  }

  /** Bytes that are stored or reserved. */
  get used(): number {
    return this.#used;
  }

  get free(): number {
    return Math.max(0, this.total - this.#used);
  }

  /** How many bytes more a key may take. */
  freeFor(key: string): number {
    if (key === OWNER) return this.free;
    return Math.max(0, Math.floor((this.free - (this.#held.get(key) ?? 0)) / 2));
  }

  /** @returns false, without taking anything, if a key may not take that many bytes */
  take(key: string, bytes: number): boolean {
    if (bytes > this.freeFor(key)) return false;
    this.add(key, bytes);
    return true;
  }

  /** Counts bytes that exist already, even if they exceed the total: it may have been lowered. */
  add(key: string, bytes: number): void {
    this.#used += bytes;
    const held = (this.#held.get(key) ?? 0) + bytes;
    if (held === 0) this.#held.delete(key);
    else this.#held.set(key, held);
  }
}

/** How many things there may be. */
interface CountLimit {
  most: number;
  /** What they are called, in the plural. */
  called: string;
}

/** What the things of one kind (data, runs or reports) take up of the quota. It knows what it has counted for each. */
export class Space {
  readonly quota: DiskQuota;
  readonly #what: string;
  readonly #limit: CountLimit | undefined;
  readonly #counted = new Map<string, { by: string; bytes: number }>();

  /**
   * @param what does not fit, to begin a sentence
   * @param limit how many things there may be, if that is limited
   */
  constructor(quota: DiskQuota, what: string, limit?: CountLimit) {
    this.quota = quota;
    this.#what = what;
    this.#limit = limit;
  }

  /**
   * Checks that a key may have one thing more, of that many bytes, without reserving them.
   *
   * @throws RequestError `quota_exceeded`
   */
  check(by: string, bytes: number): void {
    if (this.#limit !== undefined) this.#checkCount(by, this.#limit);
    if (bytes > this.quota.freeFor(by)) throw this.#exceeded(by);
  }

  /** Begins to count a thing, for the key that it belongs to. */
  begin(id: string, by: string): void {
    if (!this.#counted.has(id)) this.#counted.set(id, { by, bytes: 0 });
  }

  /**
   * Reserves the bytes that a thing is about to have; none for one that was released.
   *
   * @throws RequestError `quota_exceeded`
   */
  cover(id: string, bytes: number): void {
    const counted = this.#counted.get(id);
    if (counted === undefined || bytes <= counted.bytes) return;
    if (!this.quota.take(counted.by, bytes - counted.bytes)) throw this.#exceeded(counted.by);
    counted.bytes = bytes;
  }

  /** Counts the bytes that a thing has, instead of those that were reserved; none for one that was released. */
  set(id: string, bytes: number): void {
    const counted = this.#counted.get(id);
    if (counted === undefined) return;
    this.quota.add(counted.by, bytes - counted.bytes);
    counted.bytes = bytes;
  }

  /** Releases the bytes of a thing that is removed; once, however often it is called. */
  release(id: string): void {
    this.set(id, 0);
    this.#counted.delete(id);
  }

  #checkCount(by: string, { most, called }: CountLimit): void {
    const all = this.#counted.size;
    let own = 0;
    for (const counted of this.#counted.values()) if (counted.by === by) own++;
    // A key may hold at most as many as it leaves free, as with bytes.
    if (all < most && (by === OWNER || own < most - all)) return;
    const share =
      by === OWNER ? '' : `; ${counted(own)} are of your key, which may not hold more than it leaves free`;
    throw new RequestError(
      'quota_exceeded',
      `There are ${counted(all)} of at most ${counted(most)} ${called}${share}. Delete those that are no longer needed.`,
    );
  }

  #exceeded(by: string): RequestError {
    const free = `${bytesText(this.quota.freeFor(by))} of ${bytesText(this.quota.total)} are free`;
    const share = by === OWNER ? '' : ' for your key, which may not hold more than it leaves free for others';
    return new RequestError(
      'quota_exceeded',
      `${this.#what} does not fit: ${free}${share}. Delete data, runs or reports that are no longer needed.`,
    );
  }
}

/** Bytes of the files in a folder; 0 if it does not exist. */
export async function sizeOfFolder(folder: string): Promise<number> {
  const names = (await readdir(folder).catch(unlessMissing)) ?? [];
  const found = await Promise.all(names.map(name => stat(join(folder, name)).catch(unlessMissing)));
  return found.reduce((sum, file) => sum + (file?.size ?? 0), 0);
}
