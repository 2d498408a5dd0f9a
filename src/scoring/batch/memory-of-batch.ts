import type { Predictions } from '../../base/contract/predictions.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { Scored } from '../scorer.ts';

/*
 * Memory overhead of a batch, measured on Node 20 with millions of tiny records: V8 stores an array element (a number or
 * a reference) in 8 bytes, and an object in a few dozen.
 */

/** The batch's objects, its promises and its queue entry. */
const BATCH_BYTES = 4096;
/** A record's elements of `ends` and `kinds`, including the spare capacity of growing arrays. */
const RECORD_BYTES = 24;
/** A map entry, its object and the text of its reason; while it is written, also a copy of the record. */
const REJECT_BYTES = 400;

/** Bytes of memory that a batch uses until it is written, without its request body. */
export function memoryOfBatch(batch: Batch): number {
  return BATCH_BYTES + batch.bytes.length + RECORD_BYTES * batch.ends.length;
}

export const memoryOfFaults = ({ size }: ReadonlyMap<number, unknown>): number => REJECT_BYTES * size;

/** Bytes of memory that the result of an attempt uses until it is written. */
export function memoryOfScored({ faults, predictions, merged }: Scored): number {
  const { errors } = predictions;
  let bytes = memoryOfFaults(faults) + memoryOfValues(predictions) + REJECT_BYTES * errors.size;
  bytes += merged?.bytes.buffer.byteLength ?? 0;
  // V8 uses two bytes per character if any of them is not Latin-1.
  for (const { code, message } of errors.values()) bytes += 2 * (code.length + message.length);
  return bytes;
}

function memoryOfValues(predictions: Predictions): number {
  switch (predictions.kind) {
    case 'distribution':
      return predictions.probabilities.byteLength;
    case 'numbers':
      return predictions.values.byteLength;
    case 'label':
      return predictions.labels.reduce((sum, { length }) => sum + 2 * length, predictions.indices.byteLength);
  }
}
