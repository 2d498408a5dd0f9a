import type { Predictions } from '../../../base/contract/predictions.ts';
import { type LooseReport, looseReport } from '../../../base/contract/schemas.ts';
import { reportCell } from '../../bodies/cells.ts';
import { objects } from '../../bodies/row-layouts.ts';
import { jsonText, parseJson } from '../../parse-response.ts';
import type { HttpRequest } from '../../transport/http-request.ts';
import { defaultAuth } from '../described/descriptions.ts';
import { problemIn } from '../model-server-problem.ts';
import {
  type Expected,
  expectedClasses,
  type Protocol,
  type Question,
  type ResponseReader,
} from '../protocol.ts';
import { parsePredictions } from './parse-predictions.ts';
import { parseReport } from './parse-report.ts';
import { ResponseTemplate } from './response-template.ts';
import { contractWire, type Wire } from './wire-names.ts';

/** Number of responses from which we try to derive a template. If none of them works, later ones will not either. */
const MAX_TRIES = 3;

/** Reads the responses for one report, by a template if one can be derived from the first of them. */
export class ReportResponses implements ResponseReader {
  readonly #report: string;
  readonly #wire: Wire;
  #template: ResponseTemplate | undefined;
  #tries = 0;

  constructor(report: string, wire: Wire) {
    this.#report = report;
    this.#wire = wire;
  }

  /**
   * Like `parsePredictions`, from the bytes of a body.
   *
   * @throws InvalidResponse
   */
  read(body: Buffer, expected: Expected): Predictions {
    const classes = expectedClasses(expected);
    const repeated = this.#template?.read(body, expected.personas, classes);
    if (repeated !== undefined) return repeated;
    const predictions = parsePredictions(jsonText(body), {
      ...expected,
      report: this.#report,
      wire: this.#wire,
    });
    if (predictions.kind !== 'distribution' || classes === undefined) return predictions;
    if (this.#template === undefined && this.#tries++ < MAX_TRIES)
      this.#template = ResponseTemplate.of(body, predictions);
    return predictions;
  }
}

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
    'null',
    {
      opening: `{${JSON.stringify(wire.id)}:${JSON.stringify(report)},${JSON.stringify(wire.personas)}:[`,
      rowOpening: `{${JSON.stringify(wire.features)}:{`,
      rowClosing: '}}',
      between: ',',
      closing: ']}',
    },
    { cellOf: reportCell },
  );

/** A problem document (RFC 9457), with a code. */
const readProblem = ({ code, detail, title }: Readonly<Record<string, unknown>>) => ({
  code,
  message: typeof detail === 'string' ? detail : title,
});
