import { sumsToOne } from '../../contract/predictions.ts';
import { endOfString } from '../transport/response-body.ts';
import { indexMember, type ReceivedPredictions } from './parse-predictions.ts';

/** A number of JSON, in bytes of one character each, or where a text begins. */
const TOKEN = /"|-?\d[\d.eE+-]*/g;

const ZERO = 0x30;
const POINT = 0x2e;

/** An integer and a power of ten of so many digits are both exact, so their quotient is rounded once (Clinger 1990). */
const MAX_EXACT_DIGITS = 15;
const POWERS = Array.from({ length: MAX_EXACT_DIGITS + 1 }, (_, digits) => 10 ** digits);

/**
 * What the answers of a service have in common: all but their numbers, persona after persona. An answer that repeats
 * it byte for byte says the same with other numbers, and is read without making an object of every persona, which
 * took an eighth of a run (test/bench/RESULTS.md). Any other is read as if there were no pattern.
 */
export class ResponseTemplate {
  readonly #classes: readonly string[];
  /** Before the first number, between the numbers of a persona, between two personas, and after the last number. */
  readonly #first: Buffer;
  readonly #inner: readonly Buffer[];
  readonly #between: Buffer;
  readonly #last: Buffer;
  /** Which class each number of a persona is of; INDEX for the persona's own number. */
  readonly #places: readonly number[];
  /** The number of the first persona. */
  readonly #firstIndex: number;

  private constructor({ gaps, names, last, firstIndex }: Parts, classes: readonly string[]) {
    const [first = '', ...others] = gaps;
    const bytes = (gap = ''): Buffer => Buffer.from(gap, 'latin1');
    this.#classes = classes;
    this.#first = bytes(first);
    this.#inner = others.slice(0, names.length - 1).map(bytes);
    this.#between = bytes(others[names.length - 1]);
    this.#last = bytes(last);
    this.#places = names.map(name => classes.indexOf(name));
    this.#firstIndex = firstIndex;
  }

  /** The pattern of an answer that was read in full, if it has one: then it says of that answer what was read. */
  static of(body: Buffer, { classes, probabilities }: ReceivedPredictions): ResponseTemplate | undefined {
    const text = body.toString('latin1');
    const gaps: string[] = [];
    /** The first persona's numbers, and the texts before them: their members' names, as there are no other numbers. */
    const numbers: { name: string; value: number }[] = [];
    let name = '""';
    let nameEnd = -1;
    let end = 0;
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      if (index <= nameEnd) continue;
      if (token === '"') {
        nameEnd = endOfString(body, index);
        name = text.slice(index, nameEnd + 1);
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
    const pattern = new ResponseTemplate({ gaps, names, last: text.slice(end), firstIndex }, classes);
    const again = pattern.read(body, personas, classes);
    return again?.probabilities.every((value, at) => value === probabilities[at]) ? pattern : undefined;
  }

  /** Reads an answer that repeats the pattern; undefined for every other one, and where a probability is none. */
  read(
    body: Buffer,
    personas: number,
    classes: readonly string[] | undefined,
  ): ReceivedPredictions | undefined {
    if (classes !== this.#classes || personas === 0) return undefined;
    const width = classes.length;
    const numbers = this.#places.length;
    const probabilities = new Float64Array(personas * width);
    let gap = this.#first;
    let at = 0;
    for (let persona = 0; persona < personas; persona++) {
      let sum = 0;
      for (let member = 0; member < numbers; member++) {
        at = endOf(gap, body, at);
        gap = this.#inner[member] ?? this.#between;
        const place = this.#places[member] ?? 0;
        if (place === INDEX) {
          at = endOfIndex(this.#firstIndex + persona, body, at);
          continue;
        }
        const from = at;
        const whole = (body[at++] ?? 0) - ZERO;
        // Not so where the gap is another either.
        if (whole !== 0 && whole !== 1) return undefined;
        let fraction = 0;
        let digits = 0;
        if (body[at] === POINT) {
          for (at++; ; at++) {
            const digit = (body[at] ?? 0) - ZERO;
            if (!(digit >= 0 && digit <= 9)) break;
            fraction = 10 * fraction + digit;
            digits++;
          }
          if (digits === 0) return undefined;
        }
        const power = POWERS[digits];
        const probability =
          power === undefined
            ? Number(body.toString('latin1', from, at))
            : (whole * power + fraction) / power;
        if (probability > 1) return undefined;
        probabilities[persona * width + place] = probability;
        sum += probability;
      }
      if (!sumsToOne(sum, width)) return undefined;
    }
    if (endOf(this.#last, body, at) !== body.length) return undefined;
    return { classes, probabilities, errors: NO_ERRORS };
  }
}

/** Where a response that was read in full differs from persona to persona, and where not. */
interface Parts {
  /** What stands before each number. */
  gaps: readonly string[];
  /** The members' names of a persona's numbers. */
  names: readonly string[];
  last: string;
  firstIndex: number;
}

/** In the place of a class: the member is the persona's own number. */
const INDEX = -1;

const NO_ERRORS: ReceivedPredictions['errors'] = new Map();

/** The offset just past `gap`, which is to stand at `at`; NaN where another text does. */
function endOf(gap: Buffer, body: Buffer, at: number): number {
  for (let place = 0; place < gap.length; place++) if (gap[place] !== body[at + place]) return Number.NaN;
  return at + gap.length;
}

/** The offset just past a number without a sign, which is to stand at `at`; NaN where another one does. */
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

/** A text of JSON, given in bytes of one character each. */
const textOf = (json: string): string => JSON.parse(Buffer.from(json, 'latin1').toString('utf8'));
