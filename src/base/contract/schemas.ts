import * as z from 'zod';
import { columnTypes, MAX_CLASSES, MAX_PERSONAS } from './limits.ts';
import type { PredictionType } from './predictions.ts';
import { MAX_REPORT_COLUMNS, trainingProfile } from './profile.ts';

/**
 * The schemas of requests and responses, specified in docs/design.md. The client validates reports and single
 * predictions with them; the service's OpenAPI document is generated from them, and tests validate its responses
 * against that. For speed, batches are validated by hand: responses in `client/protocols/report/parse-predictions.ts`,
 * personas in `server/predict/encode-personas.ts`.
 */

/** A report's id. It becomes a folder name, so it must not contain path syntax. */
export const reportId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'a report id is 1 to 64 letters, digits, "-" and "_"');

/** A column's value in a request: a number, a string, a boolean, or null if it is missing. */
export const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** One persona's features: column name → value. */
export const features = z.record(z.string(), value);

/** class → probability in 0..1; the sum is 1. */
export const probabilities = z.record(z.string(), z.number());

const personas = <T>(persona: z.ZodType<T>) => z.array(persona).min(1).max(MAX_PERSONAS);

/** POST /user/persona: one persona and the report to use. */
export const personaRequest = z.object({ id: reportId, features });

/** POST /user/batch-persona. An invalid persona gets an error in its place; the others are not affected. */
export const batchRequest = z.object({ id: reportId, personas: personas(z.object({ features })) });

/** A value of a persona that is not of the type of its column, or a category that the model does not know. */
export const valueWarning = z.object({
  code: z.enum(['mismatched', 'unseen']),
  column: z.string(),
  message: z.string(),
});

/** What is predicted for a persona: a probability for each class, or by a report of numbers, one or several by name. */
const predicted = [
  z.object({ probabilities }),
  z.object({ value: z.number() }),
  z.object({ values: z.record(z.string(), z.number()) }),
] as const;
const [ofClasses, ofNumber, ofNumbers] = predicted;

/** Warnings are there if there are any, of at most 100 columns. */
const answered = { id: reportId, warnings: z.array(valueWarning).min(1).max(100).optional() };
export const classesResponse = ofClasses.extend(answered);
export const personaResponse = z.union([
  classesResponse,
  ofNumber.extend(answered),
  ofNumbers.extend(answered),
]);

/** What a service says about one persona. */
export type PersonaAnswer = Predicted & { warnings: readonly ValueWarning[] };

export const batchResponse = z.object({
  id: reportId,
  predictions: z.array(
    z.union([...predicted, z.object({ error: z.object({ code: z.string(), message: z.string() }) })]),
  ),
});

/** A driver's impact is a share: all of a report's impacts sum to 1, or are 0 if no column has any. */
const driver = z.object({ column: z.string(), impact: z.number() });

export const techSpecs = z.object({
  algorithm: z.string(),
  testing_accuracy: z.string(),
  train_test_split: z.string(),
  training_accuracy: z.string(),
  validation_accuracy: z.string(),
});

/**
 * Of a model that predicts a number: R² of the testing, training and validation rows, "undefined" where all of them have
 * the same number. It is no accuracy.
 */
export const numberSpecs = z.object({
  algorithm: z.string(),
  /** What the training has minimized, such as "squared error". */
  objective: z.string(),
  testing_r2: z.string(),
  train_test_split: z.string(),
  training_r2: z.string(),
  validation_r2: z.string(),
});

/** Column types of this service. A hosted service may name others, which are treated as unknown. */
export const columnType = z.enum(columnTypes);

const reportColumn = z.object({
  name: z.string(),
  type: columnType,
  /** Where texts of a numerical column have a decimal comma: 1.234,50. They must be sent unchanged, as strings. */
  decimal: z.literal(',').optional(),
  /** Where texts of a numerical column are read as in Python: True is 1, and inf is a number. */
  notation: z.literal('python').exactOptional(),
});

const share = z.number().min(0).max(1);

/** How many of the testing rows whose predicted probability of a class is in a range have the class. */
const calibrationBin = z.object({
  /** From `from`, below `to`; the last range includes 1. */
  from: share,
  to: share,
  rows: z.int(),
  /** Mean of the predicted probabilities. */
  predicted: share,
  /** Share of the rows that have the class, with its 95 % confidence interval (Wilson score interval). */
  actual: share,
  low: share,
  high: share,
});
export type CalibrationBin = z.infer<typeof calibrationBin>;

/** Quality of a model, measured on the testing rows. */
export const quality = z.object({
  testing_rows: z.int(),
  accuracy: share,
  /** Confidence interval of the accuracy (Wilson score interval). */
  accuracy_interval: z.object({ confidence: share, low: share, high: share }),
  /**
   * Area under the ROC curve; for more than two classes, the mean of each class against the others. Null if undefined.
   */
  auc: share.nullable(),
  /** Mean of -ln p(actual class). */
  log_loss: z.number().min(0),
  /** The most frequent class in the training rows, of an imported report in the testing rows, and its share of these. */
  majority_class: z.string(),
  majority_accuracy: share,
  /** Testing rows by actual and predicted class, both in the order of `classes`. */
  confusion: z.array(z.array(z.int())),
  /** By class, the ranges of its predicted probability that any testing row is in. */
  calibration: z.array(z.array(calibrationBin)),
});

/** How far predictions are from the actual numbers, in the unit of the column. */
const numberErrors = z.object({
  /** The root of the mean squared error. */
  rmse: z.number().min(0),
  /** The mean absolute error. */
  mae: z.number().min(0),
  median_error: z.number().min(0),
  /** The share of the variance that is explained, at most 1, below 0 if the mean is better; null if undefined. */
  r2: z.number().max(1).nullable(),
});

/** Quality of a model that predicts a number, measured on the testing rows. */
export const numberQuality = numberErrors.extend({
  testing_rows: z.int(),
  /** Always predicting the median of the rows that the model was trained on. */
  baseline: numberErrors.extend({ value: z.number() }),
  /** Ten ranges of the predictions with about as many rows each, ascending; fewer if many predictions are equal. */
  deciles: z.array(
    z.object({
      rows: z.int(),
      /** The lowest and the highest prediction. */
      from: z.number(),
      to: z.number(),
      /** Means of the predictions and of the actual numbers. */
      predicted: z.number(),
      actual: z.number(),
      /** The 95% confidence interval of the mean of the actual numbers. */
      low: z.number(),
      high: z.number(),
      /** Actual minus predicted number: the 10%, 25%, 50%, 75% and 90% quantiles. */
      residuals: z.array(z.number()).length(5),
    }),
  ),
  /** A predicted and an actual number of each of at most 300 rows, evenly spread. */
  points: z.array(z.tuple([z.number(), z.number()])).max(300),
});

/** A reason to doubt a report's metrics or usefulness. */
export const warning = z.object({
  code: z.enum([
    'leak',
    'duplicates',
    'no_better_than_majority',
    'no_better_than_baseline',
    'worse_than_chance',
  ]),
  message: z.string(),
});

/** What a report was trained from. */
const trainedFrom = z.object({
  /** SHA-256 of the training data as it was read, compressed or not; null if a pipe was not read to its end. */
  history_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** The options that decide what is learned, by flag, with their values as JSON. */
  options: z.record(z.string(), z.string()),
  /** Whether a definition trained it; the definition may then train it again. */
  by_definition: z.boolean(),
});

/** The model of another library that a report was imported from. */
export const importedFrom = z.object({
  library: z.string(),
  /** The version of the format, or of the library that wrote the file. */
  version: z.string(),
  objective: z.string(),
  trees: z.int(),
  features: z.int(),
  /** Iterations in the file, the best one's number if the training stopped early, and how many are used. */
  iterations: z.object({ all: z.int(), best: z.int().exactOptional(), used: z.int() }),
  file_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** What a comparison with the library's own predictions has shown. */
  compared: z
    .object({
      rows: z.int(),
      /** Numbers that were compared, and how many of them are the same. */
      numbers: z.int(),
      identical: z.int(),
      largest_difference: z.number(),
    })
    .exactOptional(),
});
export type ImportedFrom = z.infer<typeof importedFrom>;

const shared = {
  id: z.string(),
  columns: z.array(reportColumn),
  /** Values of a CSV that count as missing, in addition to the empty one. */
  nulls: z.array(z.string()).optional(),
  warnings: z.array(warning),
  drivers: z.array(driver),
  /** What training or importing left out, assumed or could not do, one sentence each. */
  notes: z.array(z.string()),
};

const trained = {
  ...shared,
  predicts: z.string(),
  /** Number of rows used to train the evaluated model, to which all metrics refer, and the served model. */
  learned_from: z.object({ evaluated_model: z.int(), served_model: z.int() }),
  trained_from: trainedFrom,
  profile: trainingProfile,
};

/** A report of classes that was trained here, as it is stored. */
const trainedReport = z.object({ ...trained, classes: z.array(z.string()), tech_specs: techSpecs, quality });

/** A report of numbers that was trained here, as it is stored. */
const numbersReport = z.object({
  ...trained,
  /** Empty: what is predicted is a number, whose name is `predicts`. */
  numbers: z.array(z.string()).max(0),
  tech_specs: numberSpecs,
  quality: numberQuality,
});

/** A report of a model that another library trained, as it is stored: it has metrics if labelled rows tested it. */
const importedReport = z.object({
  ...shared,
  predicts: z.string().exactOptional(),
  /** Absent if numbers are predicted. */
  classes: z.array(z.string()).exactOptional(),
  /** What is predicted is a number, if the list is empty, or one for each name. */
  numbers: z.array(z.string()).exactOptional(),
  tech_specs: techSpecs
    .pick({ algorithm: true })
    .extend({ testing_accuracy: z.string().exactOptional(), testing_r2: z.string().exactOptional() }),
  imported_from: importedFrom,
  quality: z.union([quality, numberQuality]).exactOptional(),
});

/** A report as it is stored. */
export const report = z.union([importedReport, trainedReport, numbersReport]);

/** GET /user/report/ID as this service returns it: the report, and a hash that changes with its model. */
const modelDigest = { model_sha256: z.string().regex(/^[0-9a-f]{64}$/) };
export const reportResponse = z.union([
  importedReport.extend(modelDigest),
  trainedReport.extend(modelDigest),
  numbersReport.extend(modelDigest),
]);

/** Maximum number of columns, drivers or notes in a report that the client accepts. */
const MAX_MEMBERS = MAX_REPORT_COLUMNS;

/** A list whose length is checked before its members, because each of a million invalid members would be an issue. */
const listOf = <T extends z.ZodType>(member: T, most = MAX_MEMBERS) =>
  z.array(z.unknown()).max(most).pipe(z.array(member));

/** GET /user/report/ID as the client accepts it: a hosted report may have fewer members, and unknown ones. */
export const looseReport = z.looseObject({
  id: z.string().optional(),
  predicts: z.string().optional(),
  classes: listOf(z.string(), MAX_CLASSES)
    .refine(names => names.length > 0, 'it is empty')
    .refine(names => new Set(names).size === names.length, 'a class is listed twice')
    .optional(),
  columns: listOf(
    z.looseObject({
      name: z.string(),
      type: z.string().optional(),
      decimal: z.string().optional(),
      notation: z.string().optional(),
    }),
  )
    .refine(columns => columns.length > 0, 'it is empty')
    .optional(),
  /** A hosted report may use this name and the next two for something else. */
  numbers: listOf(z.string(), MAX_CLASSES)
    .refine(names => new Set(names).size === names.length)
    .optional()
    .catch(undefined),
  nulls: listOf(z.string()).optional().catch(undefined),
  profile: trainingProfile.optional().catch(undefined),
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
export type ColumnType = z.infer<typeof columnType>;
export type Features = z.infer<typeof features>;
export type Probabilities = z.infer<typeof probabilities>;
export type ValueWarning = z.infer<typeof valueWarning>;
export type Quality = z.infer<typeof quality>;
export type Warning = z.infer<typeof warning>;
export type NumberQuality = z.infer<typeof numberQuality>;
export type TrainedReport = z.infer<typeof trainedReport>;
export type NumbersReport = z.infer<typeof numbersReport> & { classes?: never };
export type ImportedReport = z.infer<typeof importedReport>;
export type Report = TrainedReport | NumbersReport | ImportedReport;

/** A report of classes whose model another library trained, and labelled rows tested here. */
export type TestedReport = ImportedReport &
  Required<Pick<ImportedReport, 'predicts' | 'classes'>> & { quality: Quality };

export const isTested = (report: Report): report is TestedReport =>
  isImported(report) &&
  report.predicts !== undefined &&
  report.classes !== undefined &&
  report.quality !== undefined;

/** Whether a report is of a model that another library trained. */
export const isImported = <R extends Report>(report: R): report is R & ImportedReport =>
  'imported_from' in report;

/** Whether a report was trained here on numbers, and has their quality. */
export const isOfNumbers = <R extends Report>(report: R): report is R & NumbersReport =>
  !isImported(report) && 'numbers' in report;

export type LooseReport = z.infer<typeof looseReport>;
/** What predicts says about a model: of a report, as much as it knows. */
export type Description = Partial<LooseReport> & {
  /** What each prediction consists of, if that is known before the first one; classes say it too. */
  readonly predictionType?: PredictionType;
};
export type Problem = z.infer<typeof problem>;

/** Any JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/**
 * What is predicted for one persona: probabilities from 0 to 1 by class, a label, a number, or several numbers by name.
 */
export type Predicted =
  | { probabilities: Probabilities }
  | { label: string }
  | { value: number }
  | { values: Record<string, number> };

/** What is predicted for one of several personas, or why there is no prediction. */
export type Prediction = Predicted | { error: { code: string; message: string } };
