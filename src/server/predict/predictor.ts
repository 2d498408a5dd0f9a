import type { Report } from '../../base/contract/schemas.ts';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { EngineModel } from '../../models/model/engine.ts';
import type { Model } from '../../models/model/model-file.ts';
import type { StoredModel } from '../../models/model/stored-model.ts';
import { PersonaReader } from './encode-personas.ts';
import { ResponseWriter } from './serialize-predictions.ts';
import { type WorkLimits, workLimits } from './work-limits.ts';

/** What scores personas, derived from a model once for all requests. */
export interface PersonaPredictor {
  engine: EngineModel;
  personas: PersonaReader;
  responses: ResponseWriter;
  work: WorkLimits;
}

/** The members of a report that decide how rows are read, and what is said of them. */
export type ScoredReport = Pick<Report, 'columns' | 'classes' | 'predicts' | 'drivers' | 'profile' | 'nulls'>;

/** A loaded model, with what is derived from it. */
export interface Predictor extends PersonaPredictor {
  model: Model;
  /** What the report says of what is scored by it. */
  report: ScoredReport;
}

export function predictorOf({ report, model }: { report: Report; model: Model }): Predictor {
  const { columns, classes, predicts, drivers, profile, nulls } = report;
  const described = { columns, classes, predicts, drivers, profile, nulls };
  return { model, report: described, ...personaPredictor(model, model.engine), work: workLimits(model) };
}

/** @param memory of the engine, in which personas may be read too */
export const personaPredictor = (
  { columns, classes }: Pick<StoredModel, 'columns' | 'classes'>,
  engine: EngineModel,
  memory?: BatchMemory,
): Omit<PersonaPredictor, 'work'> => ({
  engine,
  personas: new PersonaReader(columns, memory),
  responses: new ResponseWriter(classes),
});
