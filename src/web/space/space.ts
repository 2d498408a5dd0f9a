import { RequestError } from '../../server/problems/problems.ts';
import { bytesText } from '../data/bytes-text.ts';
import { OWNER } from '../session/sessions.ts';
import type { Quota } from './quota.ts';

/** What the things of one kind (data, runs or reports) take up of the quota. It knows what it has counted for each. */
export class Space {
  readonly quota: Quota;
  readonly #what: string;
  readonly #counted = new Map<string, { by: string; bytes: number }>();

  /** @param what does not fit, to begin a sentence */
  constructor(quota: Quota, what: string) {
    this.quota = quota;
    this.#what = what;
  }

  /**
   * Checks that a key may take that many bytes more, without reserving them.
   *
   * @throws RequestError `quota_exceeded`
   */
  check(by: string, bytes: number): void {
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

  #exceeded(by: string): RequestError {
    const room = `${bytesText(this.quota.freeFor(by))} of ${bytesText(this.quota.total)} are free`;
    const share = by === OWNER ? '' : ' for your key, which may not hold more than it leaves free for others';
    return new RequestError(
      'quota_exceeded',
      `${this.#what} does not fit: ${room}${share}. Delete data, runs or reports that are no longer needed.`,
    );
  }
}
