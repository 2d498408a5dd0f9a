import { readDecimal } from '../../formats/bytes/decimals.ts';
import { type StringContent, StringScanner } from '../../formats/json/scan-string.ts';
import { numberEnd } from '../../formats/json/write-bytes.ts';
import { RequestError } from '../problems/problems.ts';

const [QUOTE, COMMA, COLON] = [0x22, 0x2c, 0x3a];
const [OBJECT, OBJECT_END, LIST, LIST_END] = [0x7b, 0x7d, 0x5b, 0x5d];
const [LOWER_F, LOWER_N, LOWER_T] = [0x66, 0x6e, 0x74];
const [SPACE, TAB, LF, CR] = [0x20, 0x09, 0x0a, 0x0d];

/** The maximum nesting of skipped values; valid request bodies need at most five levels. */
const MAX_DEPTH = 32;
/**
 * Reads JSON (RFC 8259) from bytes, value by value. `JSON.parse` would block the thread: objects with many different
 * names, or the same names in many orders, take up to 14 µs per member, which is 14 s for a body of 9 MiB. This reader
 * takes the same time for any names, creates no objects, and can pause between two values.
 *
 * The bytes must be valid UTF-8. Every method throws RequestError `malformed` for invalid JSON.
 */
export class JsonReader {
  /** The offset of the next byte. */
  at = 0;
  /** Members of objects and items of lists so far. */
  members = 0;
  /** The whole text. */
  readonly bytes: Buffer;
  readonly #maxMembers: number;
  readonly #strings = new StringScanner();
  readonly #text: Latin1Window;

  /** @param maxMembers beyond this many members and items, reading fails with `too_many_members` */
  constructor(bytes: Buffer, maxMembers: number) {
    this.bytes = bytes;
    this.#text = new Latin1Window(bytes);
    this.#maxMembers = maxMembers;
  }

  /** Skips white space. @returns the next byte; NaN at the end */
  peek(): number {
    const bytes = this.bytes;
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

  /** Enters an object or a list. @returns false if it is empty, which also leaves it */
  enter(): boolean {
    const opening = this.peek();
    this.at++;
    if (this.peek() !== (opening === OBJECT ? OBJECT_END : LIST_END)) return this.#counted();
    this.at++;
    return false;
  }

  /** Call after a list item. @returns whether another one follows; if not, the list is left */
  another(): boolean {
    return this.#anotherBefore(LIST_END);
  }

  /** Call after a member's value. @returns whether another member follows; if not, the object is left */
  anotherMember(): boolean {
    return this.#anotherBefore(OBJECT_END);
  }

  /** Skips the next member's name if its bytes, including the quotes, equal `name`. @returns whether it did */
  passName(name: Buffer): boolean {
    this.peek();
    const bytes = this.bytes;
    const start = this.at;
    for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return false;
    this.at = start + name.length;
    this.#passColon();
    return true;
  }

  /** A member's name, and its bytes with the quotes. Do not keep the name: it keeps the whole window in memory. */
  name(): { name: string; bytes: Buffer } {
    this.peek();
    const start = this.at;
    const name = this.string();
    const bytes = this.bytes.subarray(start, this.at);
    this.#passColon();
    return { name, bytes };
  }

  string(): string {
    const bytes = this.bytes;
    if (this.peek() !== QUOTE) throw notJson();
    const start = this.at;
    const seen = this.#passString();
    if (seen === 'escapes') return parsed(bytes.toString('utf8', start, this.at));
    if (seen === 'utf8') return bytes.toString('utf8', start + 1, this.at - 1);
    return this.#text.slice(start + 1, this.at - 1);
  }

  number(): number {
    this.peek();
    const start = this.at;
    const end = numberEnd(this.bytes, start, this.bytes.length);
    if (end === -1) throw notJson();
    this.at = end;
    const number = readDecimal(this.bytes, start, end);
    return Number.isNaN(number) ? Number(this.#text.slice(start, end)) : number;
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

  /** Skips a value of any type. */
  skip(depth = 0): void {
    const byte = this.peek();
    if (byte === QUOTE) {
      const start = this.at;
      if (this.#passString() === 'escapes') parsed(this.bytes.toString('utf8', start, this.at));
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

  /** How many items of a list may follow, each with so many members, until there are too many. */
  itemsLeft(members: number): number {
    return Math.floor((this.#maxMembers - this.members + 1) / (members + 1));
  }

  /**
   * Passes items of a list, which somebody else has read, and the commas between them.
   *
   * @param items at most `itemsLeft`
   * @param members of each item, and in it
   * @param end of the last one
   */
  passItems(items: number, members: number, end: number): void {
    this.members += items * members + items - 1;
    this.at = end;
  }

  /** Checks that only white space follows. */
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

  /** Skips a string, without validating escapes. */
  #passString(): StringContent {
    const content = this.#strings.scan(this.bytes, this.at);
    if (content === undefined) throw notJson();
    this.at = this.#strings.end;
    return content;
  }

  #literal<T>(word: string, value: T): T {
    for (let i = 0; i < word.length; i++) if (this.bytes[this.at + i] !== word.charCodeAt(i)) throw notJson();
    this.at += word.length;
    return value;
  }
}

/** Decodes a string with escapes, and validates them. */
function parsed(text: string): string {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson();
  }
}

export const tooManyMembers = (what: string, max: number): RequestError =>
  new RequestError(
    'too_many_members',
    `${what} exceeds the limit of ${max.toLocaleString('en-US')} members and list items.`,
  );

const notJson = (): RequestError => new RequestError('malformed', 'The body is not JSON.');

/** Bytes decoded at once: slicing a string takes a quarter of the time of decoding bytes. */
const WINDOW_BYTES = 1 << 16;
/** Those of the first window: of many that wait, perhaps only the beginning is read. */
const FIRST_BYTES = 1 << 8;

/**
 * Short pieces of a buffer as Latin-1 text, read from its beginning to its end. Such a piece keeps a whole window
 * alive.
 */
export class Latin1Window {
  readonly #bytes: Buffer;
  #text = '';
  #start = 0;
  #end = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  slice(start: number, end: number): string {
    if (end - start > WINDOW_BYTES) return this.#bytes.toString('latin1', start, end);
    if (start < this.#start || end > this.#end) {
      this.#start = start;
      const isFirst = this.#end === 0 && end - start <= FIRST_BYTES;
      this.#end = start + (isFirst ? FIRST_BYTES : WINDOW_BYTES);
      this.#text = this.#bytes.toString('latin1', start, this.#end);
    }
    return this.#text.slice(start - this.#start, end - this.#start);
  }
}
