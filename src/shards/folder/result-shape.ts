import * as z from 'zod';
import { tallyShape } from '../../scoring/counting/run-tally.ts';
import { rowCountsShape } from '../../scoring/row-counts.ts';
import type { Json } from '../../storage/partial-file.ts';

/** Who holds a lease. */
export const leaseShape = z.strictObject({
  /** Tells the workers of a run apart. */
  worker: z.string(),
  pid: z.number(),
  /** See `lock-holder.ts`. */
  started: z.string(),
  realm: z.string(),
  /** The row from which the attempt goes on. */
  row: z.number(),
});
export type LeaseHolder = z.infer<typeof leaseShape>;

/** How far an attempt is. */
export const heartbeatShape = z.strictObject({
  /** Increases with each heartbeat, so that a live holder can be told from a dead one without comparing clocks. */
  beat: z.number(),
  state: z.enum(['running', 'ended']),
  /** The first row that is not covered by a checkpoint. */
  row: z.number(),
  /** Rows of the shard so far, over all attempts. */
  read: z.number(),
  rejected: z.number(),
  /** Why it has ended, if not at the shard's end, by a signal or for a temporary reason. */
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
});
export type ShardHeartbeat = z.infer<typeof heartbeatShape>;

/** The end of a file's bytes, as checkpoints have it, and the upload of an object. */
const extentShape = z.strictObject({
  bytes: z.number(),
  tail: z.string(),
  state: (z.json() as z.ZodType<Json>).exactOptional(), // only mutability differs
  notes: (z.array(z.string()) as z.ZodType<readonly string[]>).exactOptional(),
});

/** The result of a shard. */
export const resultShape = z.strictObject({
  /** The plan's id. */
  plan: z.string(),
  shard: z.number(),
  /** The attempt that began its part. */
  attempt: z.number(),
  worker: z.string(),
  /** ISO 8601, by the clock of the worker's machine: the attempt that finished the shard. */
  started_at: z.string(),
  finished_at: z.string(),
  /** Rows that earlier attempts had scored. */
  rows_before: z.number(),
  /** Extents of the part and of its rejects, which have a header of their own, with zero bytes if there are none. */
  output: extentShape,
  rejects: extentShape,
  rowCounts: rowCountsShape,
  /** What was counted in the data, if anything was. */
  tally: tallyShape.nullable(),
});
export type ShardResult = z.infer<typeof resultShape>;

/** A shard that was given up. */
export const failureShape = z.strictObject({
  shard: z.number(),
  attempts: z.number(),
  error: z.strictObject({ code: z.string(), message: z.string() }),
});
export type ShardFailure = z.infer<typeof failureShape>;
