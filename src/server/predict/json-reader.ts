import { RequestError } from '../problems/problems.ts';

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const [MINUS, PLUS, POINT, ZERO, NINE] = [0x2d, 0x2b, 0x2e, 0x30, 0x39];
const [LOWER_E, LOWER_F, LOWER_N, LOWER_T] = [0x65, 0x66, 0x6e, 0x74];
const [SPACE, TAB, LF, CR] = [0x20, 0x09, 0x0a, 0x0d];
const FIRST_NON_ASCII = 0x80;

/** Values within values; nothing that a body may hold has more than five. */
const MAX_DEPTH = 32;
/** Bytes that become text at once: a piece of a text is made in a quarter of the time that a piece of bytes takes. */
const WINDOW_BYTES = 1 << 16;
/** A double holds integers of so many digits, and powers of ten up to this one, exactly; so is their quotient. */
const EXACT_DIGITS = 15;
const powersOfTen = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/**
 * Reads JSON (RFC 8259) from its bytes, value by value. `JSON.parse` would hold up the thread: objects of many
 * different names, or of few in many orders, cost it up to 14 µs a member, 14 s for a body of 9 MiB. This costs the
 * same for any names, makes no objects, and can stop between two values.
 *
 * The bytes must be valid UTF-8. Every method throws RequestError `malformed` for what is not JSON.
 */
export class JsonReader {
  /** The offset of the next byte. */
  at = 0;
  /** Members of objects and items of lists so far. */
  members = 0;
  readonly #bytes: Buffer;
  readonly #maxMembers: number;
  /** Some of the bytes as Latin-1, and where they begin and end. */
  #window = '';
  #windowStart = 0;
  #windowEnd = 0;

  /** @param maxMembers with more members and items, reading fails with `too_many_members` */
  constructor(bytes: Buffer, maxMembers: number) {
    this.#bytes = bytes;
    this.#maxMembers = maxMembers;
  }

  /** The first byte of what comes next, white space skipped; NaN at the end. */
  peek(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.at] ?? Number.NaN;
    while (byte === SPACE || byte === LF || byte === CR || byte === TAB)
      byte = bytes[++this.at] ?? Number.NaN;
    return byte;
  }

  nextIsObject(): boolean {
    return this.peek() === OBJECT;
  }

  nextIsList(): boolean {
    return this.peek() === LIST;
  }

  nextIsString(): boolean {
    return this.peek() === QUOTE;
  }

  /** Enters an object or a list. @returns whether it has anything in it; otherwise it is left again */
  enter(): boolean {
    const opening = this.peek();
    this.at++;
    if (this.peek() !== (opening === OBJECT ? OBJECT_END : LIST_END)) return this.#counted();
    this.at++;
    return false;
  }

  /** Behind a value of a list. @returns whether another follows; otherwise the list is left */
  another(): boolean {
    return this.#anotherBefore(LIST_END);
  }

  /** Behind a value of an object. @returns whether another member follows; otherwise the object is left */
  anotherMember(): boolean {
    return this.#anotherBefore(OBJECT_END);
  }

  /** Passes a member's name if it is this one, with its quotes and without escapes. */
  passName(name: Buffer): boolean {
    this.peek();
    const bytes = this.#bytes;
    const start = this.at;
    for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
    this.at = start + name.length;
    this.#passColon();
    return true;
  }

  /** A member's name, and its bytes with their quotes. Not to be kept: a name holds on to the text around it. */
  name(): { name: string; bytes: Buffer } {
    this.peek();
    const start = this.at;
    const name = this.string();
    const bytes = this.#bytes.subarray(start, this.at);
    this.#passColon();
    return { name, bytes };
  }

  string(): string {
    const bytes = this.#bytes;
    if (this.peek() !== QUOTE) throw notJson();
    const start = this.at;
    const seen = this.#passString();
    if (seen === 'escapes') return parsed(bytes.toString('utf8', start, this.at));
    if (seen === 'utf8') return bytes.toString('utf8', start + 1, this.at - 1);
    return this.#ascii(start + 1, this.at - 1);
  }

  number(): number {
    const bytes = this.#bytes;
    this.peek();
    const start = this.at;
    if (bytes[start] === MINUS) this.at++;
    const whole = this.at;
    let digits = this.#passDigits(0);
    if (bytes[whole] === ZERO && this.at - whole > 1) throw notJson();
    let end = this.at - whole;
    let exponent = 0;
    if (bytes[this.at] === POINT) {
      const fraction = ++this.at;
      digits = this.#passDigits(digits);
      exponent = this.at - fraction;
      end += exponent;
    }
    if (((bytes[this.at] ?? 0) | SPACE) === LOWER_E) {
      this.at++;
      if (bytes[this.at] === PLUS || bytes[this.at] === MINUS) this.at++;
      this.#passDigits(0);
      end = Infinity;
    }
    if (end > EXACT_DIGITS) return Number(this.#ascii(start, this.at));
    const size = exponent === 0 ? digits : digits / (powersOfTen[exponent] ?? 1);
    return bytes[start] === MINUS ? -size : size;
  }

  /** A string, number, boolean or null; undefined for an object or a list, which is skipped. */
  scalar(): string | number | boolean | null | undefined {
    const byte = this.peek();
    switch (byte) {
      case QUOTE:
        return this.string();
      case LOWER_T:
        return this.#literal('true', true);
      case LOWER_F:
        return this.#literal('false', false);
      case LOWER_N:
        return this.#literal('null', null);
      case OBJECT:
      case LIST:
        this.skip();
        return undefined;
      default:
        return this.number();
    }
  }

  /** Passes a value of any kind. */
  skip(depth = 0): void {
    const byte = this.peek();
    if (byte === QUOTE) {
      const start = this.at;
      if (this.#passString() === 'escapes') parsed(this.#bytes.toString('utf8', start, this.at));
      return;
    }
    if (byte !== OBJECT && byte !== LIST) {
      this.scalar();
      return;
    }
    if (depth === MAX_DEPTH) throw new RequestError('malformed', 'The body is nested too deeply.');
    if (!this.enter()) return;
    do {
      if (byte === OBJECT) {
        if (this.peek() !== QUOTE) throw notJson();
        this.skip();
        this.#passColon();
      }
      this.skip(depth + 1);
    } while (this.#anotherBefore(byte === OBJECT ? OBJECT_END : LIST_END));
  }

  /** Nothing but white space may follow. */
  end(): void {
    if (!Number.isNaN(this.peek())) throw notJson();
  }

  #anotherBefore(closing: number): boolean {
    const byte = this.peek();
    this.at++;
    if (byte === COMMA) return this.#counted();
    if (byte === closing) return false;
    throw notJson();
  }

  #counted(): true {
    if (++this.members > this.#maxMembers) throw tooManyMembers('The body', this.#maxMembers);
    return true;
  }

  #passColon(): void {
    if (this.peek() !== COLON) throw notJson();
    this.at++;
  }

  /** From a quote to behind the one that closes it. Escapes are passed without being checked. */
  #passString(): 'ascii' | 'utf8' | 'escapes' {
    const bytes = this.#bytes;
    let at = this.at + 1;
    let all = 0;
    let escapes = false;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte < SPACE) throw notJson();
      at++;
      if (byte === QUOTE) break;
      all |= byte;
      if (byte !== BACKSLASH) continue;
      escapes = true;
      at++;
    }
    this.at = at;
    if (escapes) return 'escapes';
    return all < FIRST_NON_ASCII ? 'ascii' : 'utf8';
  }

  #ascii(start: number, end: number): string {
    if (end - start > WINDOW_BYTES) return this.#bytes.toString('latin1', start, end);
    if (start < this.#windowStart || end > this.#windowEnd) {
      this.#windowStart = start;
      this.#windowEnd = start + WINDOW_BYTES;
      this.#window = this.#bytes.toString('latin1', start, this.#windowEnd);
    }
    return this.#window.slice(start - this.#windowStart, end - this.#windowStart);
  }

  /** Passes at least one digit. @returns the number that they continue; of no use beyond `EXACT_DIGITS` */
  #passDigits(before: number): number {
    const bytes = this.#bytes;
    const start = this.at;
    let value = before;
    for (;;) {
      const byte = bytes[this.at] ?? 0;
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + (byte - ZERO);
      this.at++;
    }
    if (this.at === start) throw notJson();
    return value;
  }

  #literal<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++)
      if (this.#bytes[this.at + i] !== word.charCodeAt(i)) throw notJson();
    this.at += word.length;
    return value;
  }
}

/** A string with escapes, which are checked. */
function parsed(text: string): string {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

export const tooManyMembers = (what: string, most: number): RequestError =>
  new RequestError(
    'too_many_members',
    `${what} has more than ${most.toLocaleString('en-US')} members and list items, which is the limit.`,
  );

const notJson = (): RequestError => new RequestError('malformed', 'The body is not JSON.');
