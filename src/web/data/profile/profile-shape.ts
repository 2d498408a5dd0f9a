import * as z from 'zod';
import { columnType } from '../../../base/contract/schemas.ts';

const count = z.int().min(0);
/** Why a column would be left out; null if it is used. */
const reason = z.string().nullable();

/** How the numbers of a column are distributed, in ranges of the same width. Dates are days since 1970. */
const histogram = z.object({
  low: z.number(),
  high: z.number(),
  median: z.number(),
  counts: z.array(count),
});
export type Histogram = z.infer<typeof histogram>;

const profiledColumn = z.object({
  name: z.string(),
  /** The type that training detects. */
  type: columnType,
  /** Why training leaves the column out, and why it would as another type. */
  leftOut: reason,
  leftOutAs: z.object({ numerical: reason, categorical: reason, date: reason }),
  /** Values that are blank; of all rows. */
  missing: count,
  /** Values that are not blank and not of the type; of the sample. */
  unreadable: count,
  /** Different values in all rows; `isMore` if there are more than were counted. */
  distinct: z.object({ count, isMore: z.boolean() }),
  /** The most frequent values, of all rows or of the sample; long ones are cut. */
  top: z.array(z.object({ text: z.string(), count })),
  topOf: z.enum(['all', 'sample']),
  histogram: histogram.nullable(),
  /** Why the column may be useless although it is used. */
  hint: z.string().nullable(),
});
export type ProfiledColumn = z.infer<typeof profiledColumn>;

/** What a file holds. Types, histograms and reasons come from the sample, the rest from all rows. */
export const profile = z.object({
  rows: count,
  /** Rows that were sampled; all rows of a smaller file. */
  sampled: count,
  contentBytes: count,
  columns: z.array(profiledColumn),
  /** The first rows; long values are cut. */
  firstRows: z.array(z.array(z.string())),
  notes: z.array(z.string()),
});
export type Profile = z.infer<typeof profile>;
