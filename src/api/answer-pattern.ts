import { type Answer, sumsToOne } from './answer.ts';
import { endOfText } from './body.ts';

/** A number of JSON, in bytes of one character each, or where a text begins. */
const TOKEN = /"|-?\d[\d.eE+-]*/g;

const ZERO = 0x30;
const POINT = 0x2e;

/** An integer and a power of ten of so many digits are both exact, so their quotient is rounded once (Clinger 1990). */
const MOST_EXACT = 15;
const POWERS = Array.from({ length: MOST_EXACT + 1 }, (_, digits) => 10 ** digits);

/**
 * What the answers of a service have in common: all but their numbers, persona after persona. An answer that repeats
 * it byte for byte says the same with other numbers, and is read without making an object of every persona, which
 * took an eighth of a run (test/bench/RESULTS.md). Any other is read as if there were no pattern.
 */
export class AnswerPattern {
  readonly #classes: readonly string[];
  /** Before the first number, between the numbers of a persona, between two personas, and after the last number. */
  readonly #first: Buffer;
  readonly #inner: readonly Buffer[];
  readonly #seam: Buffer;
  readonly #last: Buffer;
  /** Which class each number of a persona is of. */
  readonly #places: readonly number[];

  private constructor(
    gaps: readonly string[],
    names: readonly string[],
    last: string,
    classes: readonly string[],
  ) {
    const [first = '', ...others] = gaps;
    const inner = others.slice(0, classes.length - 1);
    const bytes = (gap = ''): Buffer => Buffer.from(gap, 'latin1');
    this.#classes = classes;
    this.#first = bytes(first);
    this.#inner = inner.map(bytes);
    this.#seam = bytes(others[classes.length - 1]);
    this.#last = bytes(last);
    this.#places = names.map(name => classes.indexOf(textOf(name)));
  }

  /** The pattern of an answer that was read in full, if it has one: then it says of that answer what was read. */
  static of(body: Buffer, { classes, probabilities }: Answer): AnswerPattern | undefined {
    const text = body.toString('latin1');
    const gaps: string[] = [];
    /** The texts before a persona's numbers: their members' names, as there are no other numbers. */
    const names: string[] = [];
    let name = '""';
    let nameEnd = -1;
    let end = 0;
    for (const { 0: token, index } of text.matchAll(TOKEN)) {
      if (index <= nameEnd) continue;
      if (token === '"') {
        nameEnd = endOfText(body, index);
        name = text.slice(index, nameEnd + 1);
        continue;
      }
      gaps.push(text.slice(end, index));
      if (names.length < classes.length) names.push(name);
      end = index + token.length;
    }
    if (gaps.length !== probabilities.length || gaps.length <= classes.length) return undefined;
    const pattern = new AnswerPattern(gaps, names, text.slice(end), classes);
    const again = pattern.read(body, probabilities.length / classes.length, classes);
    return again?.probabilities.every((value, at) => value === probabilities[at]) ? pattern : undefined;
  }

  /** Reads an answer that repeats the pattern; undefined for every other one, and where a probability is none. */
  read(body: Buffer, personas: number, classes: readonly string[] | undefined): Answer | undefined {
    if (classes !== this.#classes || personas === 0) return undefined;
    const width = classes.length;
    const probabilities = new Float64Array(personas * width);
    let gap = this.#first;
    let at = 0;
    for (let persona = 0; persona < personas; persona++) {
      let sum = 0;
      for (let member = 0; member < width; member++) {
        at = endOf(gap, body, at);
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
        probabilities[persona * width + (this.#places[member] ?? 0)] = probability;
        sum += probability;
        gap = this.#inner[member] ?? this.#seam;
      }
      if (!sumsToOne(sum, width)) return undefined;
    }
    if (endOf(this.#last, body, at) !== body.length) return undefined;
    return { classes, probabilities, errors: NO_ERRORS };
  }
}

const NO_ERRORS: Answer['errors'] = new Map();

/** The offset just past `gap`, which is to stand at `at`; NaN where another text does. */
function endOf(gap: Buffer, body: Buffer, at: number): number {
  for (let place = 0; place < gap.length; place++) if (gap[place] !== body[at + place]) return Number.NaN;
  return at + gap.length;
}

/** A text of JSON, given in bytes of one character each. */
const textOf = (json: string): string => JSON.parse(Buffer.from(json, 'latin1').toString('utf8'));
