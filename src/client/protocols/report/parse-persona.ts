import * as z from 'zod';
import { type PersonaAnswer, type ValueWarning, valueWarning } from '../../../base/contract/schemas.ts';
import { checkReport, InvalidResponse } from '../../invalid-response.ts';
import type { Secrets } from '../../secrets.ts';
import { jsonText } from '../../transport/response-body.ts';
import { parsePredictions } from './parse-predictions.ts';
import type { Wire } from './wire-names.ts';

/**
 * Parses and validates the response for one persona, as a batch of one, so that the same checks apply.
 *
 * @throws InvalidResponse
 */
export function parsePersona(body: Buffer, { report, wire, secrets }: ExpectedPersona): PersonaAnswer {
  const text = jsonText(body);
  const batch = `{${JSON.stringify(wire.predictions)}:[${text}]}`;
  const { classes, probabilities } = parsePredictions(batch, {
    personas: 1,
    predictionType: undefined,
    wire,
    secrets,
  });
  if (classes.length === 0) throw new InvalidResponse(`the response has no "${wire.probabilities}"`);
  const answer = Object(JSON.parse(text));
  checkReport(answer[wire.id], report);
  return {
    probabilities: Object.fromEntries(
      classes.map((name, index) => [name, probabilities[index] ?? Number.NaN]),
    ),
    warnings: warningsOf(answer.warnings, secrets),
  };
}

/** A hosted service may have none, or use the name for something else. */
function warningsOf(given: unknown, secrets: Secrets): ValueWarning[] {
  const { data = [] } = z.array(valueWarning).max(100).safeParse(given);
  return data.filter(({ column, message }) => !secrets.areIn(column) && !secrets.areIn(message));
}

export interface ExpectedPersona {
  /** The requested report; if the response names one, it must be this one. */
  report: string;
  wire: Wire;
  /** Text from the service that contains one of them is not shown. */
  secrets: Secrets;
}
