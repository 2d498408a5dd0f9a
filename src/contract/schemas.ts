import * as z from 'zod';
import { columnTypes, MAX_CLASSES, MAX_PERSONAS } from './limits.ts';

/**
 * The contract's shapes: the table of endpoints in docs/design.md. The client checks reports and
 * single answers with these schemas; the service's OpenAPI document is made of them, and tests hold its answers
 * to that. What goes by the thousand is checked
 * by hand, row by row: answers to batch-persona in `answer.ts`, personas in the service's `personas.ts`.
 */

/** A report's id: it becomes a folder's name, so nothing that a path could be made of. */
export const reportId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'a report id is 1 to 64 letters, digits, "-" and "_"');

/** A column's value as it travels: a number, a text, or null where it is missing. */
export const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** One persona's features: column name → value. */
export const features = z.record(z.string(), value);

/** class → probability, each within 0..1, together 1. */
export const probabilities = z.record(z.string(), z.number());

const personas = <T>(persona: z.ZodType<T>) => z.array(persona).min(1).max(MAX_PERSONAS);

/** POST /user/persona: one persona, and the report that predicts. */
export const personaRequest = z.object({ id: reportId, features });

/** POST /user/batch-persona. A persona that is none costs its own place in the answer, and no other. */
export const batchRequest = z.object({ id: reportId, personas: personas(z.object({ features })) });

export const personaResponse = z.object({ id: reportId, probabilities });

export const batchResponse = z.object({
  id: reportId,
  predictions: z.array(
    z.union([
      z.object({ probabilities }),
      z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
    ]),
  ),
});

/** A driver's impact is a share: all of a report's impacts sum to 1. */
export const driver = z.object({ column: z.string(), impact: z.number() });

export const techSpecs = z.object({
  algorithm: z.string(),
  testing_accuracy: z.string(),
  train_test_split: z.string(),
  training_accuracy: z.string(),
  validation_accuracy: z.string(),
});

/** The types that this service learns; a hosted one may name others, which then count as unknown. */
export const columnType = z.enum(columnTypes);

export const reportColumn = z.object({
  name: z.string(),
  type: columnType,
  /** Where texts of a numerical column have a decimal comma: 1.234,50. They are to be sent as they are, as texts. */
  decimal: z.literal(',').optional(),
});

const share = z.number().min(0).max(1);

/** What the testing rows say of a model. */
export const quality = z.object({
  testing_rows: z.int(),
  accuracy: share,
  /** Where the accuracy on all rows of this kind lies, with this confidence (Wilson score interval). */
  accuracy_interval: z.object({ confidence: share, low: share, high: share }),
  /** Area under the ROC curve; of more than two classes, the mean of each against all others. Null where it is undefined. */
  auc: share.nullable(),
  /** Mean of -ln p(actual class). */
  log_loss: z.number().min(0),
  /** The most frequent class of the rows learned from, and the share of testing rows that have it. */
  majority_class: z.string(),
  majority_accuracy: share,
});

/** A reason to doubt a report's figures, or its use. */
export const warning = z.object({
  code: z.enum(['leak', 'duplicates', 'no_better_than_majority']),
  message: z.string(),
});

/** A report as it is stored. */
export const report = z.object({
  id: z.string(),
  predicts: z.string(),
  classes: z.array(z.string()),
  columns: z.array(reportColumn),
  tech_specs: techSpecs,
  /** Rows of the history that the model was learned from: the one that all figures are of, and the one that is served. */
  learned_from: z.object({ evaluated_model: z.int(), served_model: z.int() }).optional(),
  /** Reports made by earlier versions have neither this nor warnings. */
  quality: quality.optional(),
  warnings: z.array(warning).optional(),
  drivers: z.array(driver),
  /** What training left out, dropped or could not do, one sentence each. */
  notes: z.array(z.string()),
});

/** GET /user/report/ID as this service answers it: the report, and what changes whenever its model does. */
export const reportResponse = report.extend({ model_sha256: z.string().regex(/^[0-9a-f]{64}$/) });

/** Columns, drivers or notes of a report that the client takes. */
const MAX_MEMBERS = 20_000;

/** A list whose length is checked before its members: each wrong one of a million would be an issue of its own. */
const listOf = <T extends z.ZodType>(member: T, most = MAX_MEMBERS) =>
  z.array(z.unknown()).max(most).pipe(z.array(member));

/** GET /user/report/ID as the client accepts it: a hosted report may say less, and say more than we know. */
export const looseReport = z.looseObject({
  id: z.string().optional(),
  predicts: z.string().optional(),
  classes: listOf(z.string(), MAX_CLASSES)
    .refine(names => names.length > 0, 'there is none')
    .refine(names => new Set(names).size === names.length, 'a class is named twice')
    .optional(),
  columns: listOf(
    z.looseObject({ name: z.string(), type: z.string().optional(), decimal: z.string().optional() }),
  )
    .refine(columns => columns.length > 0, 'there is none')
    .optional(),
  tech_specs: z.record(z.string(), z.unknown()),
  drivers: listOf(driver),
  notes: listOf(z.string()).optional(),
  model_sha256: z.string().optional(),
});

/** An error's body (RFC 9457), as `application/problem+json`, with a stable `code`. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string(),
});

export type Value = z.infer<typeof value>;
export type Features = z.infer<typeof features>;
export type Probabilities = z.infer<typeof probabilities>;
export type Quality = z.infer<typeof quality>;
export type Warning = z.infer<typeof warning>;
export type Report = z.infer<typeof report>;
export type LooseReport = z.infer<typeof looseReport>;
export type ColumnType = z.infer<typeof columnType>;
export type Problem = z.infer<typeof problem>;
