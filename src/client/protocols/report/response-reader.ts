import type { Distributions } from '../../../base/contract/predictions.ts';
import { jsonText } from '../../transport/response-body.ts';
import { type ExpectedPredictions, parsePredictions } from './parse-predictions.ts';
import { ResponseTemplate } from './response-template.ts';

/** Number of responses from which we try to derive a template. If none of them works, later ones will not either. */
const MAX_TRIES = 3;

/** Reads the responses of one service, by a template if one can be derived from its first responses. */
export class ResponseReader {
  #template: ResponseTemplate | undefined;
  #tries = 0;
  /** The report of the template: responses may contain its name. */
  #report: string | undefined;

  /**
   * Like `parsePredictions`, from the bytes of a body.
   *
   * @throws InvalidResponse
   */
  read(body: Buffer, options: ExpectedPredictions): Distributions {
    const { personas, classes, report } = options;
    if (report !== this.#report) {
      this.#report = report;
      this.#template = undefined;
      this.#tries = 0;
    }
    const repeated = this.#template?.read(body, personas, classes);
    if (repeated !== undefined) return repeated;
    const predictions = parsePredictions(jsonText(body), options);
    if (this.#template === undefined && classes !== undefined && this.#tries++ < MAX_TRIES)
      this.#template = ResponseTemplate.of(body, predictions);
    return predictions;
  }
}
