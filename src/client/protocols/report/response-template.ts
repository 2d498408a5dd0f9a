import { type Distributions, sumsToOne } from '../../../base/contract/predictions.ts';
import { StringScanner } from '../../../formats/json/scan-string.ts';
import { indexMember } from './parse-predictions.ts';

/** A JSON number, or the beginning of a string, in Latin-1 text. */
const TOKEN = /"|-?\d[\d.eE+-]*/g;

const ZERO = 0x30;
const POINT = 0x2e;

/**
 * Integers and powers of ten up to this many digits are exact doubles, so their quotient is rounded only once (Clinger
 * 1990).
 */
const MAX_EXACT_DIGITS = 15;
const POWERS = Array.from({ length: MAX_EXACT_DIGITS + 1 }, (_, digits) => 10 ** digits);

/**
 * What the responses of a service have in common: everything but the numbers. A response that matches the template byte
 * for byte is read without creating an object for every persona, which took an eighth of a run (test/bench/RESULTS.md).
 * Any other response is parsed as usual.
 */
export class ResponseTemplate {
  readonly #classes: readonly string[];
  /**
   * The text before the first number, between the numbers of a persona, between two personas, and after the last
   * number.
   */
  readonly #first: Buffer;
  readonly #inner: readonly Buffer[];
  readonly #between: Buffer;
  readonly #last: Buffer;
  /** The class of each number of a persona; INDEX for the persona's own number. */
  readonly #columns: readonly number[];
  /** Number of the first persona. */
  readonly #firstIndex: number;

  private constructor({ gaps, names, last, firstIndex }: Parts, classes: readonly string[]) {
    const [first = '', ...others] = gaps;
    const bytes = (gap = ''): Buffer => Buffer.from(gap, 'latin1');
    this.#classes = classes;
    this.#first = bytes(first);
    this.#inner = others.slice(0, names.length - 1).map(bytes);
    this.#between = bytes(others[names.length - 1]);
    this.#last = bytes(last);
    this.#columns = names.map(name => classes.indexOf(name));
    this.#firstIndex = firstIndex;
  }

  /**
   * Derives the template of a parsed response; undefined if reading that response by it would not give the same result.
   */
  static of(body: Buffer, { classes, probabilities }: Distributions): ResponseTemplate | undefined {
    const text = body.toString('latin1');
    const strings = new StringScanner();
    const gaps: string[] = [];
    /** The first persona's numbers with the strings before them, which are their members' names. */
    const numbers: { name: string; value: number }[] = [];
    let name = '""';
    let nameEnd = -1;
    let end = 0;
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      if (index <= nameEnd) continue;
      if (token === '"') {
        strings.scan(body, index);
        nameEnd = strings.end - 1;
        name = text.slice(index, strings.end);
        continue;
      }
      gaps.push(text.slice(end, index));
      if (numbers.length <= classes.length) numbers.push({ name: textOf(name), value: Number(token) });
      end = index + token.length;
    }
    const personas = probabilities.length / classes.length;
    const isNumbered = gaps.length === personas * (classes.length + 1);
    if (personas < 2 || !(isNumbered || gaps.length === probabilities.length)) return undefined;
    if (!isNumbered) numbers.length = classes.length;
    const { value: firstIndex = 0 } = numbers.find(({ name }) => name === indexMember) ?? {};
    if (isNumbered && numbers.filter(({ name }) => name === indexMember).length !== 1) return undefined;
    const names = numbers.map(number => number.name);
    const template = new ResponseTemplate({ gaps, names, last: text.slice(end), firstIndex }, classes);
    const again = template.read(body, personas, classes);
    return again?.probabilities.every((value, at) => value === probabilities[at]) ? template : undefined;
  }

  /** Reads a response that matches the template; undefined for any other, and if a probability is invalid. */
  read(body: Buffer, personas: number, classes: readonly string[] | undefined): Distributions | undefined {
    if (classes !== this.#classes || personas === 0) return undefined;
    const probabilities = new Float64Array(personas * classes.length);
    const at = this.#readPersonas(body, personas, probabilities);
    if (endOf(this.#last, body, at) !== body.length) return undefined;
    return { kind: 'distribution', classes, probabilities, errors: NO_ERRORS };
  }

  /**
   * Reads up to the last number. Apart from `read`, because V8 compiles a long loop before the code after it has run,
   * and then leaves the compiled code after each response and interprets the beginning of the next: in some runs, a
   * tenth of all CPU time.
   *
   * @returns the offset after that number; NaN if the response does not match
   */
  #readPersonas(body: Buffer, personas: number, probabilities: Float64Array): number {
    const width = this.#classes.length;
    const numbers = this.#columns.length;
    let gap = this.#first;
    let at = 0;
    for (let persona = 0; persona < personas; persona++) {
      let sum = 0;
      for (let member = 0; member < numbers; member++) {
        at = endOf(gap, body, at);
        gap = this.#inner[member] ?? this.#between;
        const column = this.#columns[member] ?? 0;
        if (column === INDEX) {
          at = endOfIndex(this.#firstIndex + persona, body, at);
          continue;
        }
        const from = at;
        const whole = (body[at++] ?? 0) - ZERO;
        // Also reached if the text did not match, since `at` is NaN then.
        if (whole !== 0 && whole !== 1) return Number.NaN;
        let fraction = 0;
        let digits = 0;
        if (body[at] === POINT) {
          for (at++; ; at++) {
            const digit = (body[at] ?? 0) - ZERO;
            if (!(digit >= 0 && digit <= 9)) break;
            fraction = 10 * fraction + digit;
            digits++;
          }
          if (digits === 0) return Number.NaN;
        }
        const power = POWERS[digits];
        const probability =
          power === undefined
            ? Number(body.toString('latin1', from, at))
            : (whole * power + fraction) / power;
        if (probability > 1) return Number.NaN;
        probabilities[persona * width + column] = probability;
        sum += probability;
      }
      if (!sumsToOne(sum, width)) return Number.NaN;
    }
    return at;
  }
}

/** The parts of a parsed response: constant text and members with numbers. */
interface Parts {
  /** The text before each number. */
  gaps: readonly string[];
  /** Names of the members that hold a persona's numbers. */
  names: readonly string[];
  last: string;
  firstIndex: number;
}

/** Used in place of a class: the member is the persona's own number. */
const INDEX = -1;

const NO_ERRORS: Distributions['errors'] = new Map();

/** The offset after `gap`, which is expected at `at`; NaN if there is other text. */
function endOf(gap: Buffer, body: Buffer, at: number): number {
  for (let index = 0; index < gap.length; index++) if (gap[index] !== body[at + index]) return Number.NaN;
  return at + gap.length;
}

/** The offset after an unsigned integer, which is expected at `at`; NaN if there is something else. */
function endOfIndex(index: number, body: Buffer, at: number): number {
  let value = 0;
  let end = at;
  for (; ; end++) {
    const digit = (body[end] ?? 0) - ZERO;
    if (!(digit >= 0 && digit <= 9)) break;
    value = 10 * value + digit;
  }
  return end > at && value === index ? end : Number.NaN;
}

/** The value of a JSON string given as Latin-1 text. */
const textOf = (json: string): string => JSON.parse(Buffer.from(json, 'latin1').toString('utf8'));
