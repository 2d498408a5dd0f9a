/**
 * A resource shared by the requests of all keys, such as memory or upload slots. No key can take all of it: a key may
 * hold at most as much as it leaves free. A single key gets at most half, two greedy keys a third each, and so on. The
 * first request of a key that holds nothing is granted as long as enough is left. (Dynamic thresholds with a factor of
 * 1: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998.)
 */
export class SharedBudget {
  /** In the unit of the resource: bytes or slots. */
  readonly total: number;
  readonly #onRefused: () => void;
  readonly #held = new Map<string, number>();
  #free: number;

  /** @param onRefused called each time a request for more is denied */
  constructor(total: number, onRefused: () => void) {
    this.total = total;
    this.#free = total;
    this.#onRefused = onRefused;
  }

  /** Opens the holding of one request. The caller must release it. */
  open(key: string): Holding {
    let own = 0;
    let isReleased = false;
    return {
      take: amount => {
        if (isReleased || !this.#take(key, amount)) return false;
        own += amount;
        return true;
      },
      release: () => {
        if (isReleased) return;
        isReleased = true;
        this.#release(key, own);
      },
    };
  }

  heldBy(key: string): number {
    return this.#held.get(key) ?? 0;
  }

  #take(key: string, amount: number): boolean {
    const held = this.heldBy(key);
    const free = this.#free - amount;
    const keptFree = held === 0 ? 0 : held + amount;
    if (free < keptFree) {
      this.#onRefused();
      return false;
    }
    this.#free = free;
    this.#held.set(key, held + amount);
    return true;
  }

  #release(key: string, amount: number): void {
    const held = this.heldBy(key) - amount;
    this.#free += amount;
    if (held > 0) this.#held.set(key, held);
    else this.#held.delete(key);
  }
}

/** The part of a budget that one request holds. */
export interface Holding {
  /** @returns false, without taking anything, if the key may not have that much more now, or after the release */
  take(amount: number): boolean;
  /** Returns everything that was taken; later calls do nothing. */
  release(): void;
}

interface Waiting {
  key: string;
  /** @returns whether it has what it waited for */
  begin(): boolean;
}

/**
 * The memory that the decompressors, parsers and threads of all uploads may have together. An upload waits until its
 * key may have as much more, while others would be refused: a file is sent once, and it may have arrived already.
 */
export class UploadMemory {
  readonly #budget: SharedBudget;
  readonly #waiting = new Set<Waiting>();

  /** @param bytes of which a key may have at most as many as it leaves free */
  constructor(bytes: number) {
    this.#budget = new SharedBudget(bytes, () => {});
  }

  /**
   * Waits for a share. Uploads of a key get theirs in order.
   *
   * @param gone rejects the wait, with its reason
   * @returns gives the share back; later calls do nothing
   */
  async take(key: string, bytes: number, gone: AbortSignal): Promise<() => void> {
    gone.throwIfAborted();
    const holding = this.#budget.open(key);
    const begin = (): boolean => holding.take(Math.min(bytes, this.#budget.total));
    if (this.#waits(key) || !begin())
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = {
          key,
          begin() {
            if (!begin()) return false;
            gone.removeEventListener('abort', leave);
            resolve();
            return true;
          },
        };
        const leave = (): void => {
          this.#waiting.delete(waiting);
          reject(gone.reason);
          // Those behind it may need less.
          this.#beginNext();
        };
        this.#waiting.add(waiting);
        gone.addEventListener('abort', leave, { once: true });
      });
    return () => {
      holding.release();
      this.#beginNext();
    };
  }

  #waits(key: string): boolean {
    return [...this.#waiting].some(waiting => waiting.key === key);
  }

  #beginNext(): void {
    const passed = new Set<string>();
    for (const waiting of this.#waiting)
      if (!passed.has(waiting.key) && waiting.begin()) this.#waiting.delete(waiting);
      else passed.add(waiting.key);
  }
}
