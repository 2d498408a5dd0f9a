import type { Distributions } from '../../../base/contract/predictions.ts';
import { jsonText } from '../../transport/response-body.ts';
import { type Expected, expectedClasses, type ResponseReader } from '../protocol.ts';
import { parsePredictions } from './parse-predictions.ts';
import { ResponseTemplate } from './response-template.ts';
import type { Wire } from './wire-names.ts';

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
  read(body: Buffer, expected: Expected): Distributions {
    const classes = expectedClasses(expected);
    const repeated = this.#template?.read(body, expected.personas, classes);
    if (repeated !== undefined) return repeated;
    const predictions = parsePredictions(jsonText(body), {
      ...expected,
      report: this.#report,
      wire: this.#wire,
    });
    if (this.#template === undefined && classes !== undefined && this.#tries++ < MAX_TRIES)
      this.#template = ResponseTemplate.of(body, predictions);
    return predictions;
  }
}
