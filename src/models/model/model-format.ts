import * as z from 'zod';
import type { PredictionType } from '../../base/contract/predictions.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { dateOrders, datePieces } from '../../formats/values/dates.ts';
import { numberNotations } from '../../formats/values/numbers.ts';
import {
  MAX_LEVEL,
  type OutputSpec,
  outputSpec,
  type PredictorSpec,
  predictorSpec,
} from './predictor-spec.ts';

/** Levels that trees which are trained here distinguish: a bin is a byte; one is for missing values, one for others. */
export const MAX_OWN_LEVELS = 254;

const name = z.string();
const levels = z.array(z.string());

/** Incremented when a version cannot read the models of the version before it. */
const MODEL_FORMAT = 1;
/** Of models that other libraries trained; see `saveModel`. */
const IMPORTED_FORMAT = 2;

const columns = z.array(
  z.discriminatedUnion('type', [
    z.object({ name, type: z.literal('numerical'), notation: z.enum(numberNotations) }),
    z.object({
      name,
      type: z.literal('date'),
      order: z.enum(dateOrders),
      piece: z.enum(datePieces),
    }),
    z
      .object({
        name,
        type: z.literal('categorical'),
        levels,
        others: z.literal('merged').exactOptional(),
        targets: z.array(z.array(z.number())).exactOptional(),
      })
      .refine(column => column.targets !== undefined || column.levels.length < MAX_LEVEL, 'too many levels'),
  ]),
);

/**
 * The schema of `descriptionFile` in a model file, which has the whole model. A column is read as a number, a date, or
 * a level: its index in `levels`, from 1. With `others`, all values that are not levels are one more level; with
 * `targets`, each level stands for numbers (the last entry for other values), which replace it as features. `predictor`
 * is described in `predictor-spec.ts`. Models that are trained here predict classes; others say what they predict, and
 * how their scores become that.
 */
export const description = z.discriminatedUnion('format', [
  z.object({
    format: z.literal(MODEL_FORMAT),
    columns,
    classes: z.array(z.string()).min(2),
    predictor: predictorSpec,
  }),
  z.object({
    format: z.literal(IMPORTED_FORMAT),
    columns,
    prediction: z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('distribution'), classes: z.array(z.string()).min(2) }),
      z.object({ kind: z.literal('numbers'), names: z.array(z.string()) }),
    ]),
    predictor: predictorSpec,
    output: outputSpec,
  }),
]);

export const descriptionFile = 'rowcast.json';

interface OwnContents {
  columns: readonly LearnedColumn[];
  classes: readonly string[];
  predictor: PredictorSpec;
}

interface ImportedContents {
  columns: readonly LearnedColumn[];
  prediction: PredictionType;
  predictor: PredictorSpec;
  output: OutputSpec;
}

export type SavedModel = OwnContents | ImportedContents;

/** The bytes of a model file, deterministic for a given model. */
export async function saveModel(model: SavedModel): Promise<Buffer> {
  // Only training needs it.
  const { default: JSZip } = await import('jszip');
  const zip = new JSZip();
  const format = 'output' in model ? IMPORTED_FORMAT : MODEL_FORMAT;
  const text = JSON.stringify({ format, ...model });
  zip.file(descriptionFile, text, { date: new Date(Date.UTC(2000, 0, 1)) });
  return zip.generateAsync({ type: 'nodebuffer', compression: 'DEFLATE' });
}
