const [MINUS, PLUS, POINT, ZERO, NINE] = [0x2d, 0x2b, 0x2e, 0x30, 0x39];
const [LOWER_E, LOWER_CASE] = [0x65, 0x20];

/**
 * Integers of up to 15 digits and powers of ten up to 10^22 are exact as doubles, so their quotient is rounded once.
 */
const EXACT_DIGITS = 15;
const powersOfTen = Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);

/** Reads numbers of JSON text (RFC 8259 section 6) from bytes. */
export class NumberScanner {
  /** The end of the number that was read last. */
  end = 0;
  readonly #bytes: Buffer;
  readonly #text: Latin1Window;
  /** Whether digits were missing where the number needs them. */
  #isWrong = false;

  /** @param text of the same bytes, for numbers that are not exact as a quotient */
  constructor(bytes: Buffer, text: Latin1Window) {
    this.#bytes = bytes;
    this.#text = text;
  }

  /** The number that starts at this byte, or undefined if no number starts there. */
  scan(start: number): number | undefined {
    const bytes = this.#bytes;
    this.end = start;
    this.#isWrong = false;
    if (bytes[start] === MINUS) this.end++;
    const whole = this.end;
    let digits = this.#passDigits(0);
    if (bytes[whole] === ZERO && this.end - whole > 1) return undefined;
    let length = this.end - whole;
    let exponent = 0;
    if (bytes[this.end] === POINT) {
      const fraction = ++this.end;
      digits = this.#passDigits(digits);
      exponent = this.end - fraction;
      length += exponent;
    }
    if (((bytes[this.end] ?? 0) | LOWER_CASE) === LOWER_E) {
      this.end++;
      if (bytes[this.end] === PLUS || bytes[this.end] === MINUS) this.end++;
      this.#passDigits(0);
      length = Infinity;
    }
    if (this.#isWrong) return undefined;
    if (length > EXACT_DIGITS) return Number(this.#text.slice(start, this.end));
    const size = exponent === 0 ? digits : digits / (powersOfTen[exponent] ?? 1);
    return bytes[start] === MINUS ? -size : size;
  }

  /** Skips at least one digit. @returns the number that they extend; exact up to `EXACT_DIGITS` */
  #passDigits(before: number): number {
    const bytes = this.#bytes;
    const start = this.end;
    let value = before;
    for (;;) {
      const byte = bytes[this.end] ?? 0;
      if (byte < ZERO || byte > NINE) break;
      value = value * 10 + (byte - ZERO);
      this.end++;
    }
    if (this.end === start) this.#isWrong = true;
    return value;
  }
}

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
