import type { Probabilities } from '../../contract/schemas.ts';
import type { Wire } from '../../contract/wire-names.ts';
import { jsonText } from '../transport/response-body.ts';
import { checkReport, InvalidResponse } from './invalid-response.ts';
import { parsePredictions } from './parse-predictions.ts';

/**
 * Parses and validates the response for one persona, as a batch of one, so that the same checks apply.
 *
 * @throws InvalidResponse
 */
export function parsePersona(body: Buffer, { report, wire, secret }: ExpectedPersona): Probabilities {
  const text = jsonText(body);
  const batch = `{${JSON.stringify(wire.predictions)}:[${text}]}`;
  const { classes, probabilities } = parsePredictions(batch, {
    personas: 1,
    classes: undefined,
    wire,
    secret,
  });
  if (classes.length === 0) throw new InvalidResponse(`the response has no "${wire.probabilities}"`);
  checkReport(Object(JSON.parse(text))[wire.id], report);
  return Object.fromEntries(classes.map((name, index) => [name, probabilities[index] ?? Number.NaN]));
}

export interface ExpectedPersona {
  /** The requested report; if the response names one, it must be this one. */
  report: string;
  wire: Wire;
  /** The API key: text from the service that contains it is not shown. */
  secret: string;
}
