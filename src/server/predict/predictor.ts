import type { Model } from '../../reports/model/model-file.ts';
import { PersonaReader } from './encode-personas.ts';
import { type AnswerWriter, answerWriter } from './serialize-predictions.ts';
import { type WorkLimits, workLimits } from './work-limits.ts';

/** A loaded model with what is made of its columns and classes once, for all requests. */
export interface Predictor {
  model: Model;
  personas: PersonaReader;
  answers: AnswerWriter;
  work: WorkLimits;
}

export function predictorOf(model: Model): Predictor {
  return {
    model,
    personas: new PersonaReader(model.columns),
    answers: answerWriter(model.classes),
    work: workLimits(model),
  };
}
