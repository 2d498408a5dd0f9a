import { MAX_PERSONAS } from '../../base/contract/limits.ts';
import { classesOf, type PredictionType } from '../../base/contract/predictions.ts';
import { type Description, isImported, type Report } from '../../base/contract/schemas.ts';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { StoredModel } from '../../models/model/compiled-model.ts';
import type { EngineModel } from '../../models/model/engine.ts';
import type { Model } from '../../models/model/model-file.ts';
import { PersonaReader } from './encode-personas.ts';
import { ResponseWriter } from './serialize-predictions.ts';

/** What scores personas, derived from a model once for all requests. */
export interface PersonaPredictor extends Pick<StoredModel, 'prediction'> {
  engine: EngineModel;
  personas: PersonaReader;
  responses: ResponseWriter;
  work: WorkLimits;
}

/** The members of a report that decide how rows are read, and what is said of them. */
export type ScoredReport = Pick<
  Description,
  'columns' | 'classes' | 'numbers' | 'predicts' | 'drivers' | 'profile' | 'nulls'
>;

/** A loaded model, with what is derived from it. */
export interface Predictor extends PersonaPredictor {
  model: Model;
  /** What the report says of what is scored by it. */
  report: ScoredReport;
}

export function predictorOf({ report, model }: { report: Report; model: Model }): Predictor {
  const { columns, classes, predicts, drivers, nulls } = report;
  const own = {
    ...('numbers' in report && { numbers: report.numbers }),
    ...(!isImported(report) && { profile: report.profile }),
  };
  const described = { columns, classes, predicts, drivers, nulls, ...own };
  return { model, report: described, ...personaPredictor(model, model.engine), work: workLimits(model) };
}

/** @param memory of the engine, in which personas may be read too */
export const personaPredictor = (
  { columns, prediction }: Pick<StoredModel, 'columns' | 'prediction'>,
  engine: EngineModel,
  memory?: BatchMemory,
): Omit<PersonaPredictor, 'work'> => ({
  engine,
  prediction,
  personas: new PersonaReader(columns, memory),
  responses: new ResponseWriter(prediction),
});

/** The cost of scoring a persona, in nanoseconds on one core of 2024 (bench:service); accurate to a factor of three. */
const CELL_NS = 50;
const TREE_LEVEL_NS = 8;
const CLASS_NS = 200;

/** The maximum work that another request may have to wait for. */
const SLICE_NS = 20e6;
/** The maximum rows of a slice, however cheap they are. */
const SLICE_ROWS = 1_000;
/** The maximum work of one request: 20 times that of 10,000 personas with 20 columns on 300 trees. */
const CALL_NS = 2e9;
/** The largest response that clients accept. */
const RESPONSE_BYTES = 64 * 1024 ** 2;
/** Bytes of a class in a response without its name: quotes, a colon, a comma and a number. */
const CLASS_BYTES = 28;

/** How much work is done at once with a model. */
export interface WorkLimits {
  /** Personas scored before other requests get their turn. */
  sliceRows: number;
  /** Maximum personas per request. */
  maxPersonas: number;
  /** The model's size, for the error when `maxPersonas` is exceeded. */
  size: string;
}

/** Derives the limits from the model's shape alone, so that they are the same on every machine and under any load. */
export function workLimits({ engine, columns, prediction }: Model): WorkLimits {
  const { trees, depth } = engine.shape();
  const classes = namesOf(prediction);
  const persona = columns.length * CELL_NS + trees * depth * TREE_LEVEL_NS + engine.width * CLASS_NS;
  const nameBytes = classes.reduce((bytes, name) => bytes + JSON.stringify(name).length, 0);
  const responseBytes = nameBytes + engine.width * CLASS_BYTES;
  const max = Math.min(CALL_NS / persona, RESPONSE_BYTES / responseBytes, MAX_PERSONAS);
  return {
    sliceRows: atLeastOne(Math.min(SLICE_NS / persona, SLICE_ROWS)),
    maxPersonas: atLeastOne(max),
    size: `${columns.length} columns, ${trees} trees and ${classes.length} classes`,
  };
}

/** What has a number in a response. */
const namesOf = (prediction: PredictionType): readonly string[] =>
  prediction.kind === 'numbers' ? prediction.names : classesOf(prediction);

const atLeastOne = (count: number): number => Math.max(1, Math.floor(count));
