import { type AnswerWriter, answerWriter } from './answers.ts';
import type { Model } from './model.ts';
import { type PersonaEncoder, personaEncoder } from './personas.ts';

/** A loaded model with what is made of its columns and classes once, for all requests. */
export interface Predictor {
  model: Model;
  encode: PersonaEncoder;
  answers: AnswerWriter;
}

export function predictorOf(model: Model): Predictor {
  return { model, encode: personaEncoder(model.columns), answers: answerWriter(model.classes) };
}
