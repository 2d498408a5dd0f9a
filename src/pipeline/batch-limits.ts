import { countRows } from '../csv/batch.ts';
import type { Encoded } from './encode.ts';

/** How large batches may be: smaller after each that the service found too large. */
export interface BatchLimits {
  /** Most bytes of a body. */
  ofBody(): number;
  /** The same as the reader reckons them: from whole records, of which not all may be sent. */
  ofRecords(): number;
  shrink(tooLarge: Encoded): void;
}

/** @param rowOverhead bytes of a body's row beside its values, as the reader reckons them */
export function batchLimits(mostBytes: number, rowOverhead: number): BatchLimits {
  let ofBody = mostBytes;
  let ofRecords = mostBytes;
  return {
    ofBody: () => ofBody,
    ofRecords: () => ofRecords,
    shrink({ batch, body }) {
      const reckoned = batch.bytes.length + countRows(batch) * rowOverhead;
      ofBody = Math.min(ofBody, Math.ceil(body.length / 2));
      ofRecords = Math.min(ofRecords, Math.ceil(reckoned / 2));
    },
  };
}
