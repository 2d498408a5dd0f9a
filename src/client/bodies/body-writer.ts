import { copyBytes, type WordView, wordView } from '../../formats/bytes/word-view.ts';
import { isNumber, MAX_ESCAPED_BYTES, writeText } from '../../formats/json/write-bytes.ts';

const FIRST_BYTES = 256 << 10;

/**
 * Writes request bodies one after the other into pooled buffers. Buffers are reused because the garbage collector would
 * free them too late.
 */
export class BodyWriter {
  readonly #free: WordView[] = [];
  #out = this.#fresh(FIRST_BYTES);
  length = 0;

  begin(): void {
    this.length = 0;
  }

  copy(part: WordView): void {
    this.#reserve(part.bytes.length);
    this.length = copyBytes(part, 0, part.bytes.length, this.#out, this.length);
  }

  /** Writes a member: `opening` (all bytes before the value), then the field as a JSON value. */
  member(opening: WordView, from: WordView, start: number, end: number, isText: boolean): void {
    this.#reserve(opening.bytes.length + MAX_ESCAPED_BYTES * (end - start) + 2);
    const out = this.#out;
    const at = copyBytes(opening, 0, opening.bytes.length, out, this.length);
    this.length =
      isText || !isNumber(from.bytes, start, end)
        ? writeText(out, at, from, start, end)
        : copyBytes(from, start, end, out, at);
  }

  /** Returns the written body; its bytes stay valid until it is released. */
  take(): Buffer {
    const body = this.#out.bytes.subarray(0, this.length);
    this.#out = this.#free.pop() ?? this.#fresh(FIRST_BYTES);
    return body;
  }

  /** Returns the buffer to the pool. Calling it is optional; unreleased buffers are garbage-collected. */
  release(body: Buffer): void {
    if (body.length === 0) return;
    this.#free.push(wordView(Buffer.from(body.buffer)));
  }

  /** A buffer with memory of its own, not from Node's shared pool. */
  #fresh(bytes: number): WordView {
    return wordView(Buffer.allocUnsafeSlow(bytes));
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#out.bytes.length) return;
    const larger = this.#fresh(2 * (this.length + bytes));
    this.#out.bytes.copy(larger.bytes, 0, 0, this.length);
    this.#out = larger;
  }
}
