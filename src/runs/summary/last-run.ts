import * as z from 'zod';
import { columnShapes, labelShape, scoreShapes } from '../drift/compare.ts';

/** The facts of a good run, one that has finished and had rows, as a ledger or a summary has them. */
export const lastRunShape = z.object({
  run_id: z.string(),
  exit_code: z.number().nullable(),
  /** Null if it is not known any more. */
  started_at: z.string().nullable(),
  finished_at: z.string(),
  input: z.string(),
  output: z.string(),
  report: z.string().nullable(),
  /** The rows of all files, also of those that were skipped because they had not changed. */
  rows: z.object({ read: z.number(), scored: z.number(), rejected: z.number() }),
  columns: columnShapes.readonly().nullable(),
  scores: scoreShapes.nullable(),
  labels: labelShape,
  /** The run, and the rows, that columns and scores are of; not there if they are of all rows of this one. */
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
  /** The `digest` of each input that had rows. */
  digests: z.array(z.string()).default([]),
});
export type LastRun = z.infer<typeof lastRunShape>;
