import { REQUEST_ROWS } from '../../base/contract/limits.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Batch } from '../../formats/records/batch.ts';
import { noPredictions } from '../../scoring/batch/join-predictions.ts';
import { memoryOfFaults } from '../../scoring/batch/memory-of-batch.ts';
import type { RetryPolicy } from '../../scoring/failures/attempts.ts';
import { CallError } from '../../scoring/failures/call-error.ts';
import type { ReceivedPredictions } from '../../scoring/predictions.ts';
import type { BatchScorer, Outcome, PartRequest, ScorerInput } from '../../scoring/scorer.ts';
import type { BodyLayout } from '../bodies/body-layout.ts';
import { BodyWriter } from '../bodies/body-writer.ts';
import { type BatchLimits, batchLimits, type Encode, type Encoded, encode } from '../bodies/encode.ts';
import type { Expected } from '../protocols/protocol.ts';
import { failedAmongAll, withUnsent } from './with-unsent.ts';

/**
 * Scores batches that are written as bodies. A body waits for its attempts and is not written again; parts whose bodies
 * come out too large are halved before the attempt.
 */
export abstract class EncodedBatches implements BatchScorer {
  readonly batchRows = REQUEST_ROWS;
  readonly rowOverhead: number;
  readonly #encode: Encode;
  readonly #limits: BatchLimits;
  readonly #bodies = new BodyWriter();
  /** Apart from the batches, so that all of those have the same shape: reading them costs more otherwise. */
  readonly #encoded = new WeakMap<Batch, Encoded>();

  constructor(body: BodyLayout, { features, nulls, missing, layout, batchBytes }: ScorerInput) {
    const memory = BatchMemory.create();
    const batchBody = body.open({ features, nulls, missing }, memory);
    this.rowOverhead = batchBody.rowOverhead;
    this.#limits = batchLimits(batchBytes, this.rowOverhead);
    const { maxBodyBytes, maxRows } = this.#limits;
    this.#encode = encode({
      batchBody,
      features,
      layout,
      memory,
      bodyWriter: this.#bodies,
      batchBytes: maxBodyBytes,
      maxRows,
    });
  }

  abstract get concurrency(): number;
  abstract get retryPolicy(): RetryPolicy;

  /**
   * The checked predictions for a body, in a single attempt.
   *
   * @throws CallError if there are none
   */
  protected abstract predict(
    body: Buffer,
    expected: Expected,
    signal: AbortSignal,
  ): Promise<ReceivedPredictions>;

  abstract confirm(predictions: ReceivedPredictions, row: number): boolean;
  abstract confirmAll(): Promise<void>;

  maxBatchBytes(): number {
    return this.#limits.maxBatchBytes();
  }

  *parts(batch: Batch): Generator<Batch> {
    for (const encoded of this.#encode(batch)) {
      this.#encoded.set(encoded.batch, encoded);
      yield encoded.batch;
    }
  }

  requestOf(part: Batch): string {
    return this.#encoded.get(part)?.body.toString() ?? '';
  }

  memoryOf(part: Batch): number {
    const encoded = this.#encoded.get(part);
    if (encoded === undefined) return 0;
    return encoded.body.length + memoryOfFaults(encoded.faults) + memoryOfFaults(encoded.unsentRows);
  }

  async tryPart(
    { batch, predictionType, allowAllInvalid = false }: PartRequest,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const encoded = this.#encoded.get(batch);
    if (encoded === undefined) throw new TypeError('tryPart: not one of the parts');
    const { faults, unsentRows, personas, body, id } = encoded;
    const left = { unsent: unsentRows.size };
    if (personas === 0) return { faults, predictions: withUnsent(noPredictions, unsentRows, 0), ...left };
    try {
      const expected = { personas, predictionType, allowAllInvalid, id };
      const predictions = await this.predict(body, expected, signal);
      this.#limits.accepted(encoded);
      if (unsentRows.size === 0) return { faults, predictions };
      return { faults, predictions: withUnsent(predictions, unsentRows, personas), ...left };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.maxRows !== undefined) this.#limits.rejectedRows(error.maxRows);
      if (error.status === 413 || error.kind === 'too_slow') this.#limits.rejected(encoded);
      return { faults, failure: failedAmongAll(error.toFailure(), unsentRows, personas) };
    }
  }

  release(part: Batch): void {
    const encoded = this.#encoded.get(part);
    if (encoded === undefined) return;
    this.#encoded.delete(part);
    this.#bodies.release(encoded.body);
  }
}
