import type { Position } from '../formats/csv/position.ts';
import type { BatchLimits } from './batch-size.ts';

/** Everything that a later stage tells an earlier one. All other data flows forward. */
export interface Feedback {
  /** From merging to requests: the classes of the output's header, once known; every response must have the same. */
  classes(): readonly string[] | undefined;
  /** From responses to encoding and reading: how large a batch may be. */
  readonly limits: BatchLimits;
  /** From requests to encoding: the buffer of a body that is no longer needed. */
  releaseBody(body: Buffer): void;
  /** From writing to reading: the records before this position were written, so their buffers can be reused. */
  releaseRecords(before: Position): void;
}
