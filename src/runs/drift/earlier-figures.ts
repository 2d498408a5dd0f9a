import * as z from 'zod';

const MAX_ENTRIES = 1000;
const MAX_BINS = 1000;

const count = z.number().min(0);
const counts = z.array(count).max(MAX_BINS);

const ranges = z
  .object({ edges: z.array(z.number()).max(MAX_BINS).readonly(), rows: counts })
  .refine(({ edges, rows }) => rows.length === edges.length + 1);

const column = z.object({
  name: z.string(),
  missing: count,
  mismatched: count.nullable(),
  unseen: count.nullable(),
  ranges: ranges.nullable(),
  categories: z
    .object({ names: z.array(z.string()).max(MAX_BINS).readonly(), rows: counts, others: count })
    .refine(({ names, rows }) => rows.length === names.length)
    .nullable(),
});

const training = z.object({
  rows: count,
  missing: count,
  mismatched: count,
  unseen: count,
  mean: z.number().nullable(),
});

/** The columns of a summary. */
export const columnShapes = z
  .array(
    column.extend({
      missing_share: z.number().nullable(),
      trimmed: count.nullable(),
      mean: z.number().nullable(),
      training: training.nullable(),
    }),
  )
  .max(MAX_ENTRIES);
/** The scores of a summary, by class. */
export const scoreShapes = z.record(
  z.string(),
  z.object({ mean: z.number(), deciles: z.array(z.number()).max(MAX_BINS), ranges }),
);

/** What a comparison takes from the summary of an earlier run. */
export const earlierFigures = z.object({
  run_id: z.string(),
  started_at: z.string(),
  input: z.string(),
  report: z.string().nullable(),
  rows: z.object({ read: count }),
  columns: z.array(column).max(MAX_ENTRIES).nullable(),
  scores: z.record(z.string(), z.object({ ranges })).nullable(),
});

export type EarlierFigures = z.infer<typeof earlierFigures> & {
  /** The file, for display. */
  file: string;
};
export type EarlierColumn = z.infer<typeof column>;

/** Whether there is anything to compare with. */
export const hasCounts = ({ columns, scores }: z.infer<typeof earlierFigures>): boolean =>
  Object.values(scores ?? {}).length > 0 ||
  (columns ?? []).some(({ ranges, categories }) => ranges !== null || categories !== null);
