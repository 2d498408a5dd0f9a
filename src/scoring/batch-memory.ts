import type { ReceivedPredictions } from '../client/response/parse-predictions.ts';
import type { Encoded } from './encode.ts';

/*
 * What a batch takes in memory beside its bytes, as measured on Node 20 with millions of tiny records: V8 keeps an
 * array's element, a number or a reference, in 8 bytes, and an object in some tens.
 */

/** The batch's objects, its promises and its place in the queue. */
const BATCH_BYTES = 4096;
/** A record's elements of `ends` and `kinds`, and the room that growing arrays keep. */
const RECORD_BYTES = 24;
/** A map's entry, its object and the text of its reason; when it is written, a copy of the reject. */
const REJECT_BYTES = 400;

/** Bytes of memory that a batch takes until it is written, whether it is sent or not; without its request body. */
export function memoryOfBatch({ batch, faults }: Pick<Encoded, 'batch' | 'faults'>): number {
  return BATCH_BYTES + batch.bytes.length + RECORD_BYTES * batch.ends.length + REJECT_BYTES * faults.size;
}

/** Bytes of memory that a response takes until it is written. */
export function memoryOfPredictions({ probabilities, errors }: ReceivedPredictions): number {
  let bytes = probabilities.byteLength + REJECT_BYTES * errors.size;
  // Two bytes a character where one of them is not Latin-1.
  for (const { code, message } of errors.values()) bytes += 2 * (code.length + message.length);
  return bytes;
}
