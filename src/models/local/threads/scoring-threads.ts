import { ScoringThread } from './scoring-thread.ts';

/** Batches that a thread should have: the next one is there when it finishes one. */
export const BATCHES_EACH = 2;

/** Threads that score batches; one after the other is started while there is more to do than they can. */
export class ScoringThreads {
  readonly count: number;
  /** The threads that run or are starting: a dead one is replaced by the next that is needed. */
  readonly #threads = new Set<ScoringThread>();
  #lastInput = 0;

  constructor(count: number) {
    this.count = count;
  }

  /** The number of a new input. */
  newInput(): number {
    return ++this.#lastInput;
  }

  /** Starts another thread if all of them have enough to do. */
  startIfBusy(): void {
    const isBusy = [...this.#threads].every(({ pending }) => pending >= BATCHES_EACH);
    if (isBusy && this.#threads.size < this.count) this.#start();
  }

  /**
   * The thread with the fewest batches, if there is one.
   *
   * @param mayWait whether it may still be starting, so that the batch waits
   */
  idlest(mayWait: boolean): ScoringThread | undefined {
    let found: ScoringThread | undefined;
    for (const thread of this.#threads)
      if ((mayWait || thread.isReady) && (found === undefined || thread.pending < found.pending))
        found = thread;
    return found;
  }

  closeInput(input: number): void {
    for (const thread of this.#threads) thread.closeInput(input);
  }

  async end(): Promise<void> {
    await Promise.all(Array.from(this.#threads, thread => thread.end()));
  }

  #start(): void {
    const thread = new ScoringThread(() => this.#threads.delete(thread));
    this.#threads.add(thread);
  }
}
