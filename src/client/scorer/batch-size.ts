import { countRows } from '../../formats/records/batch.ts';
import type { Encoded } from '../bodies/encode.ts';

/** The maximum batch size, learned from bodies that were too large, had too many rows, or took the model too long. */
export interface BatchLimits {
  /** Maximum size of a request body. */
  maxBodyBytes(): number;
  /** The maximum size as the reader estimates it: from whole records, although not all of their columns may be sent. */
  maxBatchBytes(): number;
  /** The largest number of rows in a body. */
  maxRows(): number;
  /** The service has said that a body had too many rows. */
  rejectedRows(max: number): void;
  /** The body was too large for the service, or for its model's time limit. */
  rejected(encoded: Encoded): void;
  /** The service accepted this body. */
  accepted(encoded: Encoded): void;
}

/** @param rowOverhead estimated bytes of a persona in a body, without its values */
export function batchLimits(max: number, rowOverhead: number): BatchLimits {
  const body = new LearnedLimit(max);
  const records = new LearnedLimit(max);
  let maxRows = Number.POSITIVE_INFINITY;
  const estimated = ({ batch }: Encoded): number => batch.bytes.length + countRows(batch) * rowOverhead;
  return {
    maxBodyBytes: () => body.bytes,
    maxBatchBytes: () => records.bytes,
    maxRows: () => maxRows,
    rejectedRows(most) {
      maxRows = Math.min(maxRows, Math.max(1, most));
    },
    rejected(encoded) {
      body.rejected(encoded.body.length);
      records.rejected(estimated(encoded));
    },
    accepted(encoded) {
      body.accepted(encoded.body.length);
      records.accepted(estimated(encoded));
    },
  };
}

/**
 * Half of the size that was rejected, but at least the largest size that was accepted: a single row that is too large by
 * itself must not shrink the batches of all others.
 */
export class LearnedLimit {
  bytes: number;
  readonly #max: number;
  #largest = 0;

  /** @param max initial limit in bytes */
  constructor(max: number) {
    this.#max = max;
    this.bytes = max;
  }

  rejected(bytes: number): void {
    if (bytes > this.#largest)
      this.bytes = Math.min(this.bytes, Math.max(this.#largest, Math.ceil(bytes / 2)));
  }

  accepted(bytes: number): void {
    this.#largest = Math.max(this.#largest, bytes);
    this.bytes = Math.max(this.bytes, Math.min(this.#max, this.#largest));
  }
}
