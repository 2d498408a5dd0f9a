import type { Batch } from './batch.ts';

/** Cuts an input, or a part of it, into batches of whole records, whatever the chunks are. */
export interface BatchReader {
  /** Whether all records that are wanted were read. */
  readonly full: boolean;
  /** Adds a chunk and yields the batches that it completes; an empty one yields the complete records so far. */
  push(chunk: Uint8Array): Iterable<Batch>;
  /** Ends the input and yields the remaining records. */
  end(): Iterable<Batch>;
  /** The memory of the batches before an input offset may be reused. */
  release(offset: number): void;
}
