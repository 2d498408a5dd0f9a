import * as z from 'zod';

/** A column in the training rows, next to which a run shows its own values. */
const columnProfile = z.object({
  name: z.string(),
  /**
   * Rows without a value, with one that does not fit the column's type, and with a category that the model does not
   * know.
   */
  missing: z.int().min(0),
  mismatched: z.int().min(0),
  unseen: z.int().min(0),
  /** The mean of a numerical column with at least one number. */
  mean: z.number().optional(),
  /** The different deciles of a numerical column, ascending: the limits of the ranges in which values are counted. */
  edges: z.array(z.number()).max(9).optional(),
  /** The categories that the model knows, the most frequent first; absent if there are too many. */
  levels: z.array(z.string()).optional(),
  /** The order of day, month and year in a column of dates. */
  date_order: z.enum(['ymd', 'dmy', 'mdy']).optional(),
});

/** A class's probability in the testing rows, as the evaluated model predicted it. */
const scoreProfile = z.object({
  class: z.string(),
  mean: z.number(),
  deciles: z.array(z.number()).length(9),
});

/** The predicted numbers of the testing rows, as the evaluated model predicted them. */
const numbersProfile = z.object({
  mean: z.number(),
  /** The limits of at most 20 ranges with about as many rows each, ascending. */
  edges: z.array(z.number()).max(19),
  /** The rows below the first edge, from each edge to the next, and from the last one. */
  rows: z.array(z.int().min(0)).min(1).max(20),
});

/** The most columns of a report. */
export const MAX_REPORT_COLUMNS = 20_000;

/** What the model was trained on, for comparison with what it scores. */
export const trainingProfile = z.object({
  /** Training rows, to which the counts of columns refer. */
  rows: z.int().min(1),
  columns: z.array(columnProfile).max(MAX_REPORT_COLUMNS),
  /** By class; none of a report of numbers. */
  scores: z.array(scoreProfile),
  /** The predicted numbers, if the report predicts numbers. */
  numbers: numbersProfile.exactOptional(),
});

export type ColumnProfile = z.infer<typeof columnProfile>;
export type ScoreProfile = z.infer<typeof scoreProfile>;
export type NumbersProfile = z.infer<typeof numbersProfile>;
export type TrainingProfile = z.infer<typeof trainingProfile>;
