import type { Scored } from '../../../scoring/scorer.ts';
import { receivedScored } from '../open-input.ts';
import type { SharedModel } from './shared-model.ts';
import type { BatchData, InputData, ThreadRequest } from './thread-messages.ts';
import { WorkerThread } from './worker-thread.ts';

/** A thread that scores batches. */
export class ScoringThread {
  readonly #worker: WorkerThread<ThreadRequest, Scored>;
  readonly #open = new Set<number>();

  /** @param onDeath called once, when it has ended unexpectedly */
  constructor(onDeath: () => void) {
    this.#worker = new WorkerThread({
      // The compiled file's name: unlike imports, URLs are not rewritten.
      file: new URL('./scoring-worker.js', import.meta.url),
      name: 'scoring thread',
      // What it allocates outlives a batch or is in typed arrays; a larger one took 30 MB more, and no less time.
      resourceLimits: { maxYoungGenerationSizeMb: 2 },
      onDeath,
    });
  }

  get isReady(): boolean {
    return this.#worker.isReady;
  }

  /** Batches that it has not scored yet. */
  get pending(): number {
    return this.#worker.pending;
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
      this.#worker.tell({ kind: 'open', input: number, data: input, shared });
    }
    return receivedScored(await this.#worker.ask({ kind: 'score', input: number, ...data }));
  }

  /** No further batch of this input will be sent. */
  closeInput(input: number): void {
    if (this.#open.delete(input)) this.#worker.tell({ kind: 'close', input });
  }

  end(): Promise<void> {
    return this.#worker.end();
  }
}
