import {
  controlBytes,
  copyBytes,
  matches,
  repeatByte,
  type WordView,
  wordView,
} from '../../formats/bytes/word-view.ts';
import { isNumber, MAX_ESCAPED_BYTES, writeNumber, writeText } from '../../formats/json/write-bytes.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const FIRST_PRINTABLE = 0x20;

const QUOTES = repeatByte(QUOTE);
const COMMAS = repeatByte(COMMA);

/**
 * Writes the UTF-8 text `from[start, end)` as a field of a CSV (RFC 4180), in quotes only if it contains a comma, a
 * quote or a control character, such as a line break. There must be room for twice its bytes and two quotes.
 *
 * @returns the offset after the last byte written
 */
function writeField(out: WordView, to: number, from: WordView, start: number, end: number): number {
  if (!needsQuotes(from, start, end)) return copyBytes(from, start, end, out, to);
  const { bytes } = from;
  const { view } = out;
  let at = to;
  view.setUint8(at++, QUOTE);
  for (let index = start; index < end; index++) {
    const byte = bytes[index] ?? 0;
    if (byte === QUOTE) view.setUint8(at++, QUOTE);
    view.setUint8(at++, byte);
  }
  view.setUint8(at++, QUOTE);
  return at;
}

function needsQuotes({ view }: WordView, start: number, end: number): boolean {
  let index = start;
  for (; index + 4 <= end; index += 4) {
    const word = view.getInt32(index, true);
    if ((controlBytes(word) | matches(word, QUOTES) | matches(word, COMMAS)) !== 0) return true;
  }
  for (; index < end; index++) {
    const byte = view.getUint8(index);
    if (byte < FIRST_PRINTABLE || byte === QUOTE || byte === COMMA) return true;
  }
  return false;
}

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

  /** Writes bytes of any size, such as many rows. */
  append(part: Buffer): void {
    this.#reserve(part.length);
    this.#out.bytes.set(part, this.length);
    this.length += part.length;
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

  /** Writes a member whose value is a number; see `writeNumber`. */
  number(opening: WordView, from: WordView, start: number, end: number): void {
    this.#reserve(opening.bytes.length + end - start + 1);
    const at = copyBytes(opening, 0, opening.bytes.length, this.#out, this.length);
    this.length = writeNumber(this.#out, at, from, start, end);
  }

  /** Writes `opening`, then the field as one of a CSV. */
  field(opening: WordView, from: WordView, start: number, end: number): void {
    this.#reserve(opening.bytes.length + 2 * (end - start) + 2);
    const at = copyBytes(opening, 0, opening.bytes.length, this.#out, this.length);
    this.length = writeField(this.#out, at, from, start, end);
  }

  /** Writes a text, such as a number of rows. It is for a few in each body. */
  text(text: string): void {
    this.#reserve(Buffer.byteLength(text));
    this.length += this.#out.bytes.write(text, this.length);
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
