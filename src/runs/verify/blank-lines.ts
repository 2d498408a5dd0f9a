import { RecordKind } from '../../formats/records/batch.ts';
import { mismatch } from './mismatch.ts';
import { load, type RecordCursor } from './record-cursor.ts';

/**
 * Counts the blank lines around a row that was malformed and then repaired. They may be before or after it: not every
 * output tells on which side of the row they were.
 */
export class BlankLines {
  readonly #input: RecordCursor;
  readonly #output: RecordCursor;
  /** Blank lines of INPUT that OUTPUT did not have yet; negative if OUTPUT has had more. */
  #missing = 0;
  /** Line of INPUT's last blank line that OUTPUT did not have at its place. */
  #line = 0;

  constructor(input: RecordCursor, output: RecordCursor) {
    this.#input = input;
    this.#output = output;
  }

  /** Whether the current blank line of INPUT is not at the same place in OUTPUT; it is counted then. */
  isElsewhere(): boolean {
    const isHere = this.#missing >= 0 && this.#isBlank;
    if (isHere) return false;
    this.#missing++;
    this.#line = this.#input.line;
    return true;
  }

  /** Passes those of OUTPUT before a row that was malformed. */
  *pass(): Generator<RecordCursor, void> {
    yield* load(this.#output);
    for (; this.#isBlank; yield* load(this.#output)) this.#take();
  }

  /** Passes those of OUTPUT that are still missing before another row. @throws RowcastError `difference` */
  *settle(): Generator<RecordCursor, void> {
    if (this.#missing === 0) return;
    yield* load(this.#output);
    for (; this.#missing > 0 && this.#isBlank; yield* load(this.#output)) this.#take();
    const { file, line } = this.#output;
    if (this.#missing > 0)
      throw mismatch(`the blank line at ${this.#input.file}:${this.#line} is missing`, { file, line });
    if (this.#missing < 0)
      throw mismatch(`there are more blank lines than before ${this.#input.file}:${this.#input.line}`, {
        file,
        line,
      });
  }

  get #isBlank(): boolean {
    return this.#output.hasRecord && this.#output.kind === RecordKind.blank;
  }

  #take(): void {
    this.#missing--;
    this.#output.advance();
  }
}
