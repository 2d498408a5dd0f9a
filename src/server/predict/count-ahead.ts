import type { JsonReader } from './json-reader.ts';

/** Items whose size tells how many the list may have. */
const SAMPLE = 64;
/** Lists that may have this share of the limit are counted; later items may be shorter than the first ones. */
const NEAR = 0.8;

/**
 * Counts the items of a list before they are read, so that a list with too many is refused before any work is done for
 * it. Goes slice by slice, because a long list takes a while, and skips lists that are far too short.
 */
export class CountAhead {
  readonly #json: JsonReader;
  readonly #most: number;
  readonly #start: { at: number; members: number };
  #at: number;
  #count = 0;
  #isDone = false;
  /** Whether all items were counted. */
  #isWhole = false;

  /** @param json in a list, at its first item, where it also is after each call */
  constructor(json: JsonReader, most: number) {
    const { at, members } = json;
    this.#json = json;
    this.#most = most;
    this.#start = { at, members };
    this.#at = at;
  }

  /** Whether there is nothing left to count. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** How many items the list probably has: as many as were counted, or as follows from the size of the first ones. */
  get expected(): number {
    return Math.min(this.#isWhole ? this.#count : Math.ceil(this.#projected()), this.#most);
  }

  /** Counts the items that start within the next bytes. @returns whether there are too many so far */
  next(bytes: number): boolean {
    const json = this.#json;
    json.at = this.#at;
    const end = json.at + bytes;
    let hasMore = true;
    while (hasMore && json.at < end && this.#count <= this.#most) {
      json.skip();
      this.#count++;
      hasMore = json.another();
      this.#isWhole = !hasMore;
      if (this.#count === SAMPLE && this.#projected() <= this.#most * NEAR) hasMore = false;
    }
    this.#isDone = !hasMore;
    this.#at = json.at;
    Object.assign(json, this.#start);
    return this.#count > this.#most;
  }

  /** How many items the list has if the others are as long as those so far. */
  #projected(): number {
    const { at, bytes } = this.#json;
    const [from, to] = [this.#start.at, Math.max(this.#at, at)];
    return ((bytes.length - from) * this.#count) / (to - from);
  }
}
