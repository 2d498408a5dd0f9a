import type { Batch } from '../../formats/records/batch.ts';
import type { BatchScorer, Outcome, PartRequest } from '../../scoring/scorer.ts';

/** The most rows of a batch: with 1,000, the main thread takes a sixth more time. */
const MAX_ROWS = 4096;

/**
 * What all scorers with a model of this machine have in common: a batch is scored whole, and its predictions are final.
 */
export abstract class LocalBatchScorer implements BatchScorer {
  abstract readonly concurrency: number;
  readonly batchRows: number;
  readonly rowOverhead = 0;
  /** Aborted when no further result is wanted. */
  readonly #closed = new AbortController();
  readonly #unwanted = new WeakMap<AbortSignal, AbortSignal>();

  /** @param maxRows of a batch, if fewer than usual */
  constructor(maxRows = MAX_ROWS) {
    this.batchRows = Math.min(MAX_ROWS, maxRows);
  }

  abstract maxBatchBytes(): number;
  abstract tryPart(request: PartRequest, signal: AbortSignal): Promise<Outcome>;

  parts(batch: Batch): Iterable<Batch> {
    return [batch];
  }

  memoryOf(_: Batch): number {
    return 0;
  }

  release(): void {}

  confirm(): boolean {
    return true;
  }

  async confirmAll(): Promise<void> {}

  close(): void {
    this.#closed.abort();
  }

  /**
   * Aborted with an attempt's signal or at the end of the input, so that batches which still wait are not scored. All
   * attempts with the same signal share it: a signal keeps an entry for each that depends on it.
   */
  protected unwanted(signal: AbortSignal): AbortSignal {
    const known = this.#unwanted.get(signal);
    if (known !== undefined) return known;
    const either = AbortSignal.any([signal, this.#closed.signal]);
    this.#unwanted.set(signal, either);
    return either;
  }
}
