import { ScoringThread } from './scoring-thread.ts';

/** Threads that score batches; they are started with the first batch. */
export class ScoringThreads {
  readonly count: number;
  readonly #threads: ScoringThread[] = [];
  #lastInput = 0;

  constructor(count: number) {
    this.count = count;
  }

  /** The number of a new input. */
  newInput(): number {
    return ++this.#lastInput;
  }

  /** Starts the threads, unless they run. */
  start(): void {
    while (this.#threads.length < this.count) this.#threads.push(new ScoringThread());
  }

  /** The ready thread with the fewest batches; undefined while none is ready. */
  get idlest(): ScoringThread | undefined {
    let found: ScoringThread | undefined;
    for (const thread of this.#threads)
      if (thread.isReady && (found === undefined || thread.pending < found.pending)) found = thread;
    return found;
  }

  closeInput(input: number): void {
    for (const thread of this.#threads) thread.closeInput(input);
  }

  async end(): Promise<void> {
    await Promise.all(this.#threads.map(thread => thread.end()));
  }
}
