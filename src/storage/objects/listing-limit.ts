import { counted } from '../../base/number-text.ts';
import { StoreError } from './store-error.ts';

/** 10,000 pages of a usual size. */
const MAX_ENTRIES = 10_000_000;
/** Consecutive pages without an entry. A store may skip a thousand removed objects with each. */
const MAX_EMPTY_PAGES = 1_000;
/** What the names that are kept may take, of a million of usual length. */
const MAX_KEPT_BYTES = 256 << 20;
/** About the memory of a name besides its bytes. */
const NAME_BYTES = 100;

/** Ends a listing that does not end by itself: its pages, and how many there are, are the store's choice. */
export class ListingLimit {
  #entries = 0;
  #emptyPages = 0;
  #keptBytes = 0;

  /**
   * Call this for each page.
   *
   * @throws StoreError `refused`
   */
  page(entries: number): void {
    this.#entries += entries;
    this.#emptyPages = entries === 0 ? this.#emptyPages + 1 : 0;
    if (this.#entries > MAX_ENTRIES) throw endless(`has more than ${counted(MAX_ENTRIES)} entries`);
    if (this.#emptyPages > MAX_EMPTY_PAGES)
      throw endless(`does not go on after ${counted(MAX_EMPTY_PAGES)} empty pages`);
  }

  /**
   * Call this for each name that is kept in memory.
   *
   * @param bytes of the name
   * @throws StoreError `refused`
   */
  keep(bytes: number): void {
    this.#keptBytes += bytes + NAME_BYTES;
    if (this.#keptBytes > MAX_KEPT_BYTES)
      throw endless(`has names that take more than ${counted(MAX_KEPT_BYTES)} bytes`);
  }
}

const endless = (what: string): StoreError =>
  new StoreError('refused', `the store's listing ${what}; name fewer objects, with a longer prefix`);
