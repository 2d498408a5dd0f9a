import { randomBytes } from 'node:crypto';
import * as z from 'zod';

/** One process of a run. The id and the number of attempts survive resumes, in the checkpoint. */
export const attemptShape = z.strictObject({
  /** Ties logs, summary and checkpoint together. Ids sort by the start of their runs. */
  runId: z.uuid(),
  /** ISO 8601; start of the first process. */
  runStartedAt: z.string(),
  /** From 1 on. A process that was killed before its first checkpoint does not count. */
  number: z.number(),
  /** Start of this process. */
  startedAt: z.string(),
  /** The row that this process began with. */
  row: z.number(),
});
export type Attempt = z.infer<typeof attemptShape>;

/** The first process of a new run, which starts now. */
export function firstAttempt(now = new Date()): Attempt {
  const startedAt = now.toISOString();
  return { runId: newRunId(now.getTime()), runStartedAt: startedAt, number: 1, startedAt, row: 1 };
}

/** The process that resumes a run at a row. */
export const nextAttempt = ({ runId, runStartedAt, number }: Attempt, row: number): Attempt => ({
  runId,
  runStartedAt,
  number: number + 1,
  row,
  startedAt: new Date().toISOString(),
});

/** A UUID of version 7 (RFC 9562): its first 48 bits are the time in milliseconds. */
function newRunId(milliseconds: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(milliseconds, 0, 6);
  bytes.writeUInt8(0x70 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
