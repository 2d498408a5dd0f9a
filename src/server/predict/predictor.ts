import type { Model } from '../../reports/model/model-file.ts';
import { PersonaReader } from './encode-personas.ts';
import { ResponseWriter } from './serialize-predictions.ts';
import { type WorkLimits, workLimits } from './work-limits.ts';

/** A loaded model, with what is derived from it once for all requests. */
export interface Predictor {
  model: Model;
  personas: PersonaReader;
  responses: ResponseWriter;
  work: WorkLimits;
}

export function predictorOf(model: Model): Predictor {
  return {
    model,
    personas: new PersonaReader(model.columns),
    responses: new ResponseWriter(model.classes),
    work: workLimits(model),
  };
}
