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

/** A loaded model, with what is derived from it. */
export interface Predictor extends PersonaPredictor {
  model: Model;
}

export function predictorOf(model: Model): Predictor {
  return { model, ...personaPredictor(model, model.engine), work: workLimits(model) };
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
