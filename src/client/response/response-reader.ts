import { jsonText } from '../transport/response-body.ts';
import { type ExpectedPredictions, parsePredictions, type ReceivedPredictions } from './parse-predictions.ts';
import { ResponseTemplate } from './response-template.ts';

/** Answers that are looked at for a pattern: a service whose first ones have none is not one that repeats itself. */
const MAX_TRIES = 3;

/** Reads the answers of one service: by their pattern, once that is known, where they have one. */
export class ResponseReader {
  #template: ResponseTemplate | undefined;
  #tries = 0;
  /** The report that the pattern's responses are of: they may name it. */
  #report: string | undefined;

  /**
   * As `readAnswer`, of a body's bytes.
   *
   * @throws WrongAnswer
   */
  read(body: Buffer, options: ExpectedPredictions): ReceivedPredictions {
    const { personas, classes, report } = options;
    if (report !== this.#report) {
      this.#report = report;
      this.#template = undefined;
      this.#tries = 0;
    }
    const repeated = this.#template?.read(body, personas, classes);
    if (repeated !== undefined) return repeated;
    const answer = parsePredictions(jsonText(body), options);
    if (this.#template === undefined && classes !== undefined && this.#tries++ < MAX_TRIES)
      this.#template = ResponseTemplate.of(body, answer);
    return answer;
  }
}
