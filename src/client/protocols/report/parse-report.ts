import { type LooseReport, looseReport } from '../../../base/contract/schemas.ts';
import { checkReport, InvalidResponse } from '../../invalid-response.ts';
import { parseJson } from '../../transport/response-body.ts';
import { describeReportIssue } from './report-issue.ts';

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
