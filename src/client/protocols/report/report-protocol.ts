import { type LooseReport, looseReport } from '../../../base/contract/schemas.ts';
import { reportCell } from '../../bodies/cell-type.ts';
import { objects } from '../../bodies/objects.ts';
import type { HttpRequest } from '../../transport/http-request.ts';
import { parseJson } from '../../transport/response-body.ts';
import { defaultAuth } from '../default-auth.ts';
import { problemIn } from '../problem-in.ts';
import type { Protocol, Question } from '../protocol.ts';
import { parseReport } from './parse-report.ts';
import { ReportResponses } from './report-responses.ts';
import { contractWire, type Wire } from './wire-names.ts';

/** The protocol of the prediction report API, in which a model is a report. */
export interface ReportProtocol extends Protocol {
  readonly wire: Wire;
  describe(report: string): Question<LooseReport>;
}

/** @param wire the names of members, where a deployment has others */
export function reportProtocol(wire: Wire = contractWire): ReportProtocol {
  return {
    name: 'report',
    wire,
    auth: defaultAuth('report'),
    maxBatchBytes: 32 << 20,
    describe: report => ({ request: reportRequest(report), read: body => parseReport(body, report) }),
    predict: report => ({
      request: { method: 'POST', path: '/user/batch-persona' },
      body: personasOf(report, wire),
      reader: () => new ReportResponses(report, wire),
    }),
    problemOf: (_, body) => problemIn(body, readProblem),
    kindOf(body) {
      const parsed = parseJson(body);
      if (Object(parsed)[wire.predictions] !== undefined) return 'predictions';
      return looseReport.safeParse(parsed).success ? 'description' : undefined;
    },
  };
}

const reportRequest = (report: string): HttpRequest => ({
  method: 'GET',
  path: `/user/report/${encodeURIComponent(report)}`,
  template: '/user/report/{id}',
});

const personasOf = (report: string, wire: Wire) =>
  objects(
    {
      opening: `{${JSON.stringify(wire.id)}:${JSON.stringify(report)},${JSON.stringify(wire.personas)}:[`,
      rowOpening: `{${JSON.stringify(wire.features)}:{`,
      rowClosing: '}}',
      between: ',',
      closing: ']}',
    },
    { cellOf: reportCell, missing: 'null' },
  );

/** A problem document (RFC 9457), with a code. */
const readProblem = ({ code, detail, title }: Readonly<Record<string, unknown>>) => ({
  code,
  message: typeof detail === 'string' ? detail : title,
});
