const [SPACE, TAB, MINUS, PLUS, POINT, ZERO, ONE, NINE] = [0x20, 0x09, 0x2d, 0x2b, 0x2e, 0x30, 0x31, 0x39];
const [SMALL_E, LOWER_CASE] = [0x65, 0x20];

/** A double holds every number of fewer digits than that, without an exponent. */
const SAFE_DIGITS = 300;

const words = ['true', 'false', 't', 'f'];

/** The range of an integer type, as digits. */
export interface IntegerRange {
  /** The largest number. */
  readonly max: string;
  /** The smallest number without its sign. */
  readonly min: string;
}

export const int64: IntegerRange = { max: '9223372036854775807', min: '9223372036854775808' };

/**
 * Reads values of typed columns from their bytes. Spaces around a value do not belong to it. One object is used for many, so
 * that none is created for each.
 */
export class CellScanner {
  /** Where the value that was read last begins and ends, once it fits: what is sent of it. */
  start = 0;
  end = 0;

  /** @returns whether there are only spaces, which is a missing value */
  trim(bytes: Buffer, start: number, end: number): boolean {
    let [from, to] = [start, end];
    while (from < to && isSpace(bytes[from])) from++;
    while (from < to && isSpace(bytes[to - 1])) to--;
    this.start = from;
    this.end = to;
    return from === to;
  }

  /** Whether the trimmed value is an integer of this range. A fraction of zeros, as pandas writes it, is left out. */
  integer(bytes: Buffer, range: IntegerRange): boolean {
    const { end } = this;
    const isNegative = bytes[this.start] === MINUS;
    const digits = this.#afterSign(bytes);
    const point = digitsEnd(bytes, digits, end);
    if (point === digits) return false;
    if (point < end) {
      if (bytes[point] !== POINT) return false;
      let zeros = point + 1;
      while (zeros < end && bytes[zeros] === ZERO) zeros++;
      if (zeros < end) return false;
      this.end = point;
    }
    const limit = isNegative ? range.min : range.max;
    if (point - digits < limit.length) return true;
    const significant = bytes.toString('latin1', digits, point).replace(/^0+/, '');
    return significant.length < limit.length || (significant.length === limit.length && significant <= limit);
  }

  /** Whether the trimmed value is a number that a double can hold. A point without digits behind it is left out. */
  float(bytes: Buffer): boolean {
    const { end } = this;
    const digits = this.#afterSign(bytes);
    let at = digitsEnd(bytes, digits, end);
    let hasDigits = at > digits;
    if (bytes[at] === POINT && at < end) {
      const fraction = at + 1;
      at = digitsEnd(bytes, fraction, end);
      if (at > fraction) hasDigits = true;
      else if (at === end) this.end = fraction - 1;
      else return false;
    }
    if (!hasDigits) return false;
    if (at === end) return at - digits < SAFE_DIGITS || this.#isFinite(bytes);
    if (((bytes[at] ?? 0) | LOWER_CASE) !== SMALL_E) return false;
    at++;
    if (at < end && (bytes[at] === PLUS || bytes[at] === MINUS)) at++;
    const exponent = at;
    at = digitsEnd(bytes, exponent, end);
    return at > exponent && at === end && this.#isFinite(bytes);
  }

  /** Whether the trimmed value is `true`, `false`, `t`, `f`, in any case, or `1` or `0`. */
  boolean(bytes: Buffer): boolean {
    const { start, end } = this;
    if (end - start === 1 && (bytes[start] === ZERO || bytes[start] === ONE)) return true;
    return end - start <= 5 && words.includes(bytes.toString('latin1', start, end).toLowerCase());
  }

  /** Leaves out a plus, which JSON numbers do not have. @returns where the digits begin */
  #afterSign(bytes: Buffer): number {
    if (bytes[this.start] === MINUS) return this.start + 1;
    if (bytes[this.start] === PLUS) this.start++;
    return this.start;
  }

  #isFinite(bytes: Buffer): boolean {
    return Number.isFinite(Number(bytes.toString('latin1', this.start, this.end)));
  }
}

const isSpace = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;

function digitsEnd(bytes: Buffer, start: number, end: number): number {
  let at = start;
  for (; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) break;
  }
  return at;
}
