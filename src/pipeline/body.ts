import { copyBytes, type Words, wordsOf } from '../csv/words.ts';
import { isNumber, MOST_ESCAPED, writeText } from './json-bytes.ts';

/** Room for most bodies. */
const FIRST_BYTES = 2 << 20;

/** A body that is written from its front to its end, in a buffer that the next one uses again. */
export class Body {
  #out = wordsOf(Buffer.allocUnsafeSlow(FIRST_BYTES));
  length = 0;

  begin(opening: string): void {
    this.length = 0;
    this.copy(wordsOf(Buffer.from(opening)));
  }

  copy(part: Words): void {
    this.#reserve(part.bytes.length);
    this.length = copyBytes(part, 0, part.bytes.length, this.#out, this.length);
  }

  /** A member: its name with all that comes before the value, and a field's bytes as a JSON value. */
  member(opening: Words, from: Words, start: number, end: number, isText: boolean): void {
    this.#reserve(opening.bytes.length + MOST_ESCAPED * (end - start) + 2);
    const out = this.#out;
    const at = copyBytes(opening, 0, opening.bytes.length, out, this.length);
    this.length =
      isText || !isNumber(from.bytes, start, end)
        ? writeText(out, at, from, start, end)
        : copyBytes(from, start, end, out, at);
  }

  /** What was written, as a buffer of its own. */
  take(): Buffer {
    return Buffer.from(this.#out.bytes.subarray(0, this.length));
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#out.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.length + bytes));
    this.#out.bytes.copy(larger, 0, 0, this.length);
    this.#out = wordsOf(larger);
  }
}
