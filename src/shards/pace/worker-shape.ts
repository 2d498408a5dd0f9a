import * as z from 'zod';
import type { Learned } from '../../base/contract/shared-pace.ts';

const learnedShape: z.ZodType<Learned> = z.strictObject({
  rate: z.strictObject({ limit: z.number(), plateau: z.number(), age: z.number() }).nullable(),
  advertised: z.strictObject({ rate: z.number(), seconds: z.number().nullable() }).nullable(),
  pause: z.number(),
  accepted: z.number(),
});

/** What a worker tells the others that share its pace. */
export const workerShape = z.strictObject({
  /** Increases with each heartbeat. */
  beat: z.number(),
  /** Increases each time that the worker asks for a share anew. */
  entry: z.number(),
  /** Who it is: see `lock-holder.ts`. */
  pid: z.number(),
  started: z.string(),
  realm: z.string(),
  /** Requests and rows per second that it was told to keep to, with all others; null: no limit. */
  requests: z.number().nullable(),
  rows: z.number().nullable(),
  learned: learnedShape.nullable(),
  /** The workers that it has left room for: id → entry. */
  counted: z.record(z.string(), z.number()),
});
export type WorkerFile = z.infer<typeof workerShape>;

/** Another worker, as one sees it. */
export interface SeenWorker extends WorkerFile {
  id: string;
  /** When this heartbeat was first seen, from `performance.now()`. */
  seenAt: number;
  /** When its file was read last. */
  readAt: number;
}
