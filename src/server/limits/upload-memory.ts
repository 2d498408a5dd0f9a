import { SharedBudget } from './shared-budget.ts';

interface Waiting {
  key: string;
  /** @returns whether it has what it waited for */
  begin(): boolean;
}

/**
 * The memory that the decompressors, parsers and threads of all uploads may have together. An upload waits until its key may have
 * as much more, while others would be refused: a file is sent once, and it may have arrived already.
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
