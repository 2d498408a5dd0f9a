/**
 * Something that the requests of all keys share, such as memory or upload slots, of which no key can take all: a key may
 * hold at most as much as it leaves free. So one key alone gets half, two keys that want all they can get a third each,
 * and so on; what a key without any asks for first is granted as long as there is enough. (Dynamic thresholds with a
 * factor of 1: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2), 1998.)
 */
export class SharedBudget {
  /** In whatever unit: bytes, slots. */
  readonly total: number;
  readonly #onRefused: () => void;
  readonly #held = new Map<string, number>();
  #free: number;

  /** @param onRefused called each time that a key is refused more */
  constructor(total: number, onRefused: () => void) {
    this.total = total;
    this.#free = total;
    this.#onRefused = onRefused;
  }

  /** Begins the account of one request, which has to be released in the end. */
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

/** What one request holds of a budget. */
export interface Holding {
  /** @returns false, and takes nothing, where the key may not have so much more now, or after the release */
  take(amount: number): boolean;
  /** Gives back all that was taken; calls after the first do nothing. */
  release(): void;
}
