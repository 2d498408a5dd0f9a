import type { Scored } from '../../../scoring/scorer.ts';
import { receivedScored } from '../open-input.ts';
import type { BatchData, InputData, SharedModel, ThreadRequest } from './thread-messages.ts';
import { WorkerThread } from './worker-thread.ts';

/** Batches that a thread should have: the next one is there when it finishes one. */
export const BATCHES_EACH = 2;

class ScoringThread extends WorkerThread<ThreadRequest, Scored> {
  readonly #open = new Set<number>();

  /** @param onDeath called once, when it has ended unexpectedly */
  constructor(onDeath: () => void) {
    super({
      // The compiled file's name: unlike imports, URLs are not rewritten.
      file: new URL('./scoring-worker.js', import.meta.url),
      name: 'scoring thread',
      // What it allocates outlives a batch or is in typed arrays; a larger one took 30 MB more, and no less time.
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
      onDeath,
    });
  }

  /**
   * Scores a batch of an input.
   *
   * @throws RowcastError `service_died` if the thread has ended
   */
  async score(
    number: number,
    { input, shared }: { input: InputData; shared: SharedModel },
    data: BatchData,
  ): Promise<Scored> {
    if (!this.#open.has(number)) {
      this.#open.add(number);
      this.tell({ kind: 'open', input: number, data: input, shared });
    }
    return receivedScored(await this.ask({ kind: 'score', input: number, ...data }));
  }

  /** No further batch of this input will be sent. */
  closeInput(input: number): void {
    if (this.#open.delete(input)) this.tell({ kind: 'close', input });
  }
}

/** Threads that score batches; one after the other is started while there is more to do than they can. */
export class ScoringThreads {
  readonly count: number;
  /** The threads that run or are starting: a dead one is replaced by the next that is needed. */
  readonly #threads = new Set<ScoringThread>();
  #lastInput = 0;

  constructor(count: number) {
    this.count = count;
  }

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
