import { RowcastError } from '../../base/errors.ts';

/** A line `key=value` of a model file: the value is `[start, end)` of its bytes. */
export interface KeyLine {
  key: string;
  start: number;
  end: number;
}

const SPACE = 32;
const MINUS = 45;
const EQUALS = 61;

/** The lines of a model that is text, and the numbers in them, without making texts of what nobody needs. */
export class TextLines {
  readonly bytes: Buffer;
  /** Where the next line begins. */
  at = 0;
  /** 1-based number of the line that was read last. */
  line = 0;
  start = 0;
  end = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Goes to the next line; false at the end. */
  next(): boolean {
    if (this.at >= this.bytes.length) return false;
    const feed = this.bytes.indexOf(10, this.at);
    this.start = this.at;
    this.end = feed === -1 ? this.bytes.length : feed;
    this.at = this.end + 1;
    this.line++;
    return true;
  }

  /** Returns to the line that was read last, so that it is read again. */
  back(): void {
    this.at = this.start;
    this.line--;
  }

  /** Whether the file ends with a whole line. */
  get isWhole(): boolean {
    return this.bytes.at(-1) === 10;
  }

  get isEmpty(): boolean {
    return this.start === this.end;
  }

  /** The line that was read last. @throws RowcastError `bad_model` if it is not UTF-8 */
  get text(): string {
    return this.textOf(this.start, this.end);
  }

  textOf(start: number, end: number): string {
    const text = this.bytes.toString('utf8', start, end);
    if (text.includes('\ufffd') && !Buffer.from(text).equals(this.bytes.subarray(start, end)))
      return this.fail('it is not UTF-8');
    return text;
  }

  startsWith(text: string): boolean {
    return (
      this.end - this.start >= text.length &&
      this.bytes.toString('latin1', this.start, this.start + text.length) === text
    );
  }

  /** The line that was read last as key and value; one without `=` has an empty value. */
  keyLine(): KeyLine {
    const found = this.bytes.indexOf(EQUALS, this.start);
    const equals = found === -1 || found > this.end ? this.end : found;
    return { key: this.textOf(this.start, equals), start: Math.min(equals + 1, this.end), end: this.end };
  }

  /**
   * As many whole numbers as there must be, separated by spaces.
   *
   * @throws RowcastError `bad_model` if there are more or fewer, or something else
   */
  integers(line: KeyLine, count: number): Float64Array {
    const numbers = this.#list(line, count);
    let found = 0;
    this.#eachWord(line, count, (start, end) => {
      const isNegative = this.bytes[start] === MINUS;
      let number = 0;
      for (let at = start + (isNegative ? 1 : 0); at < end; at++) {
        const digit = (this.bytes[at] ?? 0) - 48;
        number = digit >= 0 && digit <= 9 ? number * 10 + digit : Number.NaN;
      }
      if (!Number.isSafeInteger(number) || end === start + (isNegative ? 1 : 0))
        this.#failWord(line, start, end);
      numbers[found++] = isNegative ? -number : number;
    });
    return numbers;
  }

  /** As many doubles as there must be, each the nearest one to its text; `inf` and `-inf` may be among them. */
  doubles(line: KeyLine, count: number): Float64Array {
    const numbers = this.#list(line, count);
    let found = 0;
    this.#eachWord(line, count, (start, end) => {
      const word = this.bytes.toString('latin1', start, end);
      const number = DECIMAL.test(word) ? Number(word) : infinities.get(word);
      if (number === undefined || Number.isNaN(number)) return this.#failWord(line, start, end);
      numbers[found++] = number;
    });
    return numbers;
  }

  /** A single whole number. */
  integer(line: KeyLine): number {
    return this.integers(line, 1)[0] ?? 0;
  }

  /** @throws RowcastError `bad_model` at the line that was read last */
  fail(what: string, hint?: string): never {
    throw new RowcastError('bad_model', what, {
      location: { line: this.line },
      ...(hint !== undefined && { hint }),
    });
  }

  /** Memory is allocated only for numbers that there is room for. */
  #list({ key, start, end }: KeyLine, count: number): Float64Array {
    if (count > (end - start + 1) / 2)
      this.fail(`${key} should have ${count} numbers, but is too short for them`);
    return new Float64Array(count);
  }

  #eachWord({ key, start, end }: KeyLine, count: number, use: (start: number, end: number) => void): void {
    let found = 0;
    for (let at = start; at < end; ) {
      if (this.bytes[at] === SPACE) {
        at++;
        continue;
      }
      const from = at;
      while (at < end && this.bytes[at] !== SPACE) at++;
      if (++found > count) this.fail(`${key} has more than ${count} numbers`);
      use(from, at);
    }
    if (found < count) this.fail(`${key} has ${found} numbers instead of ${count}`);
  }

  #failWord({ key }: KeyLine, start: number, end: number): never {
    const word = this.bytes
      .toString('latin1', start, Math.min(end, start + 40))
      .replace(/[^\x20-\x7e]/g, '?');
    return this.fail(`${key} has "${word}", which is no number`);
  }
}

const DECIMAL = /^-?\d[\d.]*(?:e[+-]?\d+)?$/i;

const infinities = new Map([
  ['inf', Number.POSITIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
]);
