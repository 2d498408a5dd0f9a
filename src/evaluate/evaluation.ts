import * as z from 'zod';
import { estimateShape } from './statistics/estimates.ts';

/**
 * What `--summary` writes and `--earlier` reads. Shares are from 0 to 1; figures have ten significant digits; members
 * may be added, and `format` is incremented when one changes its meaning.
 */

const figures = z.record(z.string(), estimateShape);
export type EvaluationFigures = z.infer<typeof figures>;

/** A part of the scored rows: a tenth of them by their prediction, or those with a predicted class. */
const coveragePart = z.object({
  class: z.string().nullable(),
  from: z.number().nullable(),
  to: z.number().nullable(),
  rows: z.int(),
  labelled: z.int(),
});

const coverage = z.object({
  /** Rows with a valid prediction, and how many of them have a label. */
  rows: z.int(),
  labelled: z.int(),
  share: estimateShape,
  /** Rows whose prediction is missing, no number, or no probability. */
  invalid: z.int(),
  parts: z.array(coveragePart),
  /** Whether labelled rows are a fair part of all; null if that cannot be said. */
  fair: z.boolean().nullable(),
  chi_squared: z.number().nullable(),
});

/** A class against all others. */
const classFigures = z.object({
  class: z.string(),
  /** Labelled rows of the class. */
  rows: z.int(),
  figures,
  /** From (0, 0) to (1, 1): shares of the others, and of the class. */
  roc: z.array(z.tuple([z.number(), z.number()])),
  /** Tenths of the labelled rows by probability. */
  calibration: z.array(
    z.object({
      from: z.number(),
      to: z.number(),
      rows: z.int(),
      predicted: z.number(),
      actual: z.number(),
      low: z.number(),
      high: z.number(),
    }),
  ),
  gains: z.array(
    z.object({ top: z.number(), captured: z.number(), lift: z.number(), cumulative_lift: z.number() }),
  ),
});
export type ClassFigures = z.infer<typeof classFigures>;

/** A tenth of the labelled rows by the predicted number. */
const numberDecile = z.object({
  from: z.number(),
  to: z.number(),
  rows: z.int(),
  predicted: z.number(),
  actual: z.number(),
  bias: estimateShape,
  mae: z.number(),
  rmse: z.number(),
});

const segmentFigures = z.object({
  /** Null for rows of all values that are not listed. */
  value: z.string().nullable(),
  rows: z.int(),
  labelled: z.int(),
  figures,
});

/** How labels came to the scored rows. */
const joined = z.object({
  by: z.enum(['key', 'row', 'column']),
  key: z.array(z.string()),
  /** Rows of the file of labels, and what was not used of them, by reason. */
  labels: z.int(),
  unused: z.record(z.string(), z.int()),
});

export const evaluationShape = z.object({
  format: z.literal(1),
  version: z.string().nullable(),
  evaluated_at: z.string(),
  report: z.string().nullable(),
  predicts: z.string(),
  kind: z.enum(['classes', 'numbers']),
  /** Null for numbers. */
  classes: z.array(z.string()).nullable(),
  /** The threshold with which classes were predicted, if the caller knows it. */
  threshold: z.number().nullable(),
  scored: z.array(z.string()),
  labels: z.string().nullable(),
  joined,
  coverage,
  figures,
  /** The report's own figures of its testing rows, by the names of `figures`. */
  testing: z.record(z.string(), z.number()).nullable(),
  /** The figures of each class; if there are two classes, only those of the second one. */
  by_class: z.array(classFigures),
  /** Labelled rows by actual and predicted class. */
  confusion: z.array(z.array(z.int())).nullable(),
  /** The errors by tenths of the prediction, if numbers are predicted. */
  deciles: z.array(numberDecile).nullable(),
  segments: z.array(z.object({ by: z.string(), values: z.array(segmentFigures) })),
  /** Another evaluation's figures, and this one's minus those. */
  earlier: z
    .object({ evaluation: z.string(), evaluated_at: z.string(), figures, differences: figures })
    .nullable(),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
});
export type Evaluation = z.infer<typeof evaluationShape>;

/** What the caller knows; the rest is counted. */
export type EvaluationFacts = Pick<
  Evaluation,
  | 'version'
  | 'evaluated_at'
  | 'report'
  | 'predicts'
  | 'threshold'
  | 'scored'
  | 'labels'
  | 'joined'
  | 'testing'
> & {
  /** The evaluation to compare with, and its name. */
  earlier?: { name: string; evaluation: Evaluation } | undefined;
};
