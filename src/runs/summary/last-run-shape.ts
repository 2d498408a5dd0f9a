import * as z from 'zod';
import { columnShapes, scoreShapes } from '../drift/earlier-figures.ts';
import { goodRun } from './good-run.ts';
import type { LastRun } from './last-run.ts';

/** A good run as a ledger or a summary has it. */
export const lastRunShape = z.object({
  run_id: z.string(),
  exit_code: z.number().nullable(),
  started_at: z.string().nullable(),
  finished_at: z.string(),
  input: z.string(),
  output: z.string(),
  report: z.string().nullable(),
  rows: z.object({ read: z.number(), scored: z.number(), rejected: z.number() }),
  columns: columnShapes.nullable(),
  scores: scoreShapes.nullable(),
  counted: z
    .object({
      run_id: z.string(),
      started_at: z.string().nullable(),
      finished_at: z.string(),
      input: z.string(),
      report: z.string().nullable(),
      rows: z.object({ read: z.number() }),
    })
    .optional(),
  digests: z.array(z.string()).default([]),
}) satisfies z.ZodType<LastRun>;

/** The last good run that the JSON of a summary knows: its own, or the one that it stands beside. */
export function lastRunIn(summary: unknown): LastRun | undefined {
  try {
    return lastRunShape.safeParse(goodRun(Object(summary)) ?? Object(summary).last).data;
  } catch {
    return undefined; // it is no summary
  }
}
