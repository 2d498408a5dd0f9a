import { countRows } from '../formats/csv/batch.ts';
import type { Encoded } from './encode.ts';

/** How large batches may be, as the service teaches it. */
export interface BatchLimits {
  /** Most bytes of a body. */
  maxBodyBytes(): number;
  /** The same as the reader reckons them: from whole records, of which not all may be sent. */
  maxBatchBytes(): number;
  /** The service found its body too large. */
  rejected(encoded: Encoded): void;
  /** The service took it. */
  accepted(encoded: Encoded): void;
}

/** @param rowOverhead bytes of a body's row beside its values, as the reader reckons them */
export function batchLimits(most: number, rowOverhead: number): BatchLimits {
  const body = new LearnedLimit(most);
  const records = new LearnedLimit(most);
  const estimated = ({ batch }: Encoded): number => batch.bytes.length + countRows(batch) * rowOverhead;
  return {
    maxBodyBytes: () => body.bytes,
    maxBatchBytes: () => records.bytes,
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
 * Half of what was too large, and no less than what was taken: one row that is too large however it is sent makes
 * the others' batches no smaller.
 */
export class LearnedLimit {
  bytes: number;
  readonly #most: number;
  #largest = 0;

  /** @param most bytes that are allowed to begin with */
  constructor(most: number) {
    this.#most = most;
    this.bytes = most;
  }

  rejected(bytes: number): void {
    if (bytes > this.#largest)
      this.bytes = Math.min(this.bytes, Math.max(this.#largest, Math.ceil(bytes / 2)));
  }

  accepted(bytes: number): void {
    this.#largest = Math.max(this.#largest, bytes);
    this.bytes = Math.max(this.bytes, Math.min(this.#most, this.#largest));
  }
}
