import { jsonText } from '../transport/response-body.ts';
import { type Answer, type AnswerOptions, readAnswer } from './parse-predictions.ts';
import { AnswerPattern } from './response-template.ts';

/** Answers that are looked at for a pattern: a service whose first ones have none is not one that repeats itself. */
const MOST_TRIES = 3;

/** Reads the answers of one service: by their pattern, once that is known, where they have one. */
export class AnswerReader {
  #pattern: AnswerPattern | undefined;
  #tries = 0;
  /** The report that the pattern's responses are of: they may name it. */
  #report: string | undefined;

  /**
   * As `readAnswer`, of a body's bytes.
   *
   * @throws WrongAnswer
   */
  read(body: Buffer, options: AnswerOptions): Answer {
    const { personas, classes, report } = options;
    if (report !== this.#report) {
      this.#report = report;
      this.#pattern = undefined;
      this.#tries = 0;
    }
    const repeated = this.#pattern?.read(body, personas, classes);
    if (repeated !== undefined) return repeated;
    const answer = readAnswer(jsonText(body), options);
    if (this.#pattern === undefined && classes !== undefined && this.#tries++ < MOST_TRIES)
      this.#pattern = AnswerPattern.of(body, answer);
    return answer;
  }
}
