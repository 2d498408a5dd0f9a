import * as z from 'zod';
import {
  type LooseReport,
  looseReport,
  type PersonaAnswer,
  type ValueWarning,
  valueWarning,
} from '../../../base/contract/schemas.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { wrongNumbers } from '../../../scoring/batch/check-values.ts';
import { predictionOf, predictionTypeOf } from '../../../scoring/predictions.ts';
import type { Secrets } from '../../credentials.ts';
import { InvalidResponse, jsonText, parseJson } from '../../parse-response.ts';
import { checkReport, parsePredictions } from './parse-predictions.ts';
import type { Wire } from './wire-names.ts';

/**
 * Parses and validates the response for a report.
 *
 * @throws InvalidResponse
 */
export function parseReport(body: Buffer, id: string): LooseReport {
  const parsed = looseReport.safeParse(parseJson(body));
  if (!parsed.success)
    throw new InvalidResponse(`invalid report: ${describeReportIssue(parsed.error.issues)}`);
  checkReport(parsed.data.id, id);
  return parsed.data;
}

/**
 * Describes why a report is invalid; zod's own messages, unlike ours, are written for programmers. Only the first issue
 * is shown, because there can be one per member.
 */
function describeReportIssue([issue]: readonly z.core.$ZodIssue[]): string {
  if (issue === undefined) return 'it is invalid';
  const where = issue.path.length === 0 ? 'it' : issue.path.join('.');
  switch (issue.code) {
    case 'invalid_type':
      return sanitize(`${where} is missing or not ${TYPES[issue.expected] ?? issue.expected}`);
    case 'too_big':
      return sanitize(`${where} has more than ${issue.maximum} members`);
    case 'custom':
      return sanitize(`${where}: ${issue.message}`);
    default:
      return sanitize(`${where} is not valid`);
  }
}

/** zod's type names → their names in JSON. */
const TYPES: Readonly<Record<string, string>> = {
  object: 'an object',
  record: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
};

/**
 * Parses and validates the response for one persona, as a batch of one, so that the same checks apply.
 *
 * @throws InvalidResponse
 */
export function parsePersona(body: Buffer, { report, wire, secrets }: ExpectedPersona): PersonaAnswer {
  const text = jsonText(body);
  const batch = `{${JSON.stringify(wire.predictions)}:[${text}]}`;
  const predictions = parsePredictions(batch, { personas: 1, predictionType: undefined, wire, secrets });
  const wrong = predictions.kind === 'numbers' ? wrongNumbers(predictions).get(0) : undefined;
  if (wrong !== undefined) throw new InvalidResponse(wrong.message);
  const predicted = predictionOf(predictions, 0);
  if (predictionTypeOf(predictions) === undefined || 'error' in predicted)
    throw new InvalidResponse(`the response has no "${wire.probabilities}"`);
  const answer = Object(JSON.parse(text));
  checkReport(answer[wire.id], report);
  return { ...predicted, warnings: warningsOf(answer.warnings, secrets) };
}

/** A hosted service may have none, or use the name for something else. */
function warningsOf(given: unknown, secrets: Secrets): ValueWarning[] {
  const { data = [] } = z.array(valueWarning).max(100).safeParse(given);
  return data.filter(({ column, message }) => !secrets.areIn(column) && !secrets.areIn(message));
}

interface ExpectedPersona {
  /** The requested report; if the response names one, it must be this one. */
  report: string;
  wire: Wire;
  /** Text from the service that contains one of them is not shown. */
  secrets: Secrets;
}
