import { copyBytes } from '../csv/copy.ts';
import { isNumber, MOST_ESCAPED, writeText } from './json-bytes.ts';

/** Room for most bodies. */
const FIRST_BYTES = 2 << 20;

/** A body that is written from its front to its end, in a buffer that the next one uses again. */
export class Body {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  length = 0;

  begin(opening: string): void {
    this.length = 0;
    this.copy(Buffer.from(opening));
  }

  copy(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.length = copyBytes(bytes, 0, bytes.length, this.#buffer, this.length);
  }

  /** A member: its name with all that comes before the value, and a field's bytes as a JSON value. */
  member(opening: Buffer, bytes: Buffer, start: number, end: number, isText: boolean): void {
    this.#reserve(opening.length + MOST_ESCAPED * (end - start) + 2);
    const buffer = this.#buffer;
    const at = copyBytes(opening, 0, opening.length, buffer, this.length);
    this.length =
      isText || !isNumber(bytes, start, end)
        ? writeText(buffer, at, bytes, start, end)
        : copyBytes(bytes, start, end, buffer, at);
  }

  /** What was written, as a buffer of its own. */
  take(): Buffer {
    return Buffer.from(this.#buffer.subarray(0, this.length));
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.length + bytes));
    this.#buffer.copy(larger, 0, 0, this.length);
    this.#buffer = larger;
  }
}
