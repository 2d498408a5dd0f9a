import { REQUEST_ROWS } from '../../base/contract/limits.ts';
import { numbersPerRow, type Predictions } from '../../base/contract/predictions.ts';
import { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Batch } from '../../formats/records/batch.ts';
import { noPredictions } from '../../scoring/batch/join-predictions.ts';
import type { RetryPolicy } from '../../scoring/failures/attempts.ts';
import { CallError, type Failure } from '../../scoring/failures/call-error.ts';
import { memoryOfFaults } from '../../scoring/in-flight.ts';
import type { ReceivedPredictions } from '../../scoring/predictions.ts';
import type { BatchScorer, Outcome, PartRequest, ScorerInput } from '../../scoring/scorer.ts';
import type { BodyLayout } from '../bodies/body-layout.ts';
import { BodyWriter } from '../bodies/body-writer.ts';
import { BatchLimits, type Encode, type Encoded, encode } from '../bodies/encode.ts';
import type { Expected } from '../protocols/protocol.ts';

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
    this.#limits = new BatchLimits(batchBytes, this.rowOverhead);
    this.#encode = encode({
      batchBody,
      features,
      layout,
      memory,
      bodyWriter: this.#bodies,
      limits: this.#limits,
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
    return this.#limits.records.bytes;
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
      this.#limits.sent(encoded, 'accepted');
      if (unsentRows.size === 0) return { faults, predictions };
      return { faults, predictions: withUnsent(predictions, unsentRows, personas), ...left };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.maxRows !== undefined) this.#limits.rejectedRows(error.maxRows);
      if (error.status === 413 || error.kind === 'too_slow') this.#limits.sent(encoded, 'rejected');
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

type Errors = Predictions['errors'];

/**
 * The predictions of the rows that were sent, with those rows between them that were not, which have an error and no
 * value.
 *
 * @param unsent index of a row among all → its error
 * @param sent number of rows that were sent
 */
export function withUnsent(
  predictions: ReceivedPredictions,
  unsent: Errors,
  sent: number,
): ReceivedPredictions {
  if (unsent.size === 0) return predictions;
  const places = placesOf(unsent, sent);
  const rows = sent + unsent.size;
  const errors = new Map(unsent);
  for (const [index, error] of predictions.errors) errors.set(places[index] ?? index, error);
  switch (predictions.kind) {
    case 'distribution': {
      const width = predictions.classes.length;
      return {
        ...predictions,
        probabilities: spread(predictions.probabilities, places, width, rows),
        errors,
      };
    }
    case 'numbers': {
      const width = numbersPerRow(predictions.names);
      return { ...predictions, values: spread(predictions.values, places, width, rows), errors };
    }
    case 'label': {
      const indices = new Int32Array(rows).fill(-1);
      for (const [index, row] of places.entries()) indices[row] = predictions.indices[index] ?? -1;
      return { ...predictions, indices, errors };
    }
  }
}

/** A failure that names rows as they were sent, with their places among all rows; -1 for one that was not sent. */
function failedAmongAll(failure: Failure, unsent: Errors, sent: number): Failure {
  if (unsent.size === 0 || failure.rows === undefined) return failure;
  const places = placesOf(unsent, sent);
  return { ...failure, rows: failure.rows.map(fault => ({ ...fault, row: places[fault.row] ?? -1 })) };
}

/** For each row that was sent, its place among all. */
function placesOf(unsent: Errors, sent: number): number[] {
  const places: number[] = [];
  for (let row = 0; places.length < sent; row++) if (!unsent.has(row)) places.push(row);
  return places;
}

/** Puts the values of each row, `width` of them, at its place among all rows. */
function spread(values: Float64Array, places: readonly number[], width: number, rows: number): Float64Array {
  const all = new Float64Array(rows * width).fill(Number.NaN);
  for (const [index, row] of places.entries())
    all.set(values.subarray(index * width, (index + 1) * width), row * width);
  return all;
}
