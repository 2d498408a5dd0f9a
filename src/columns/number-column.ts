import { wordView } from '../formats/bytes/word-view.ts';
import type { Fields } from '../formats/csv/fields/fields.ts';
import type { NumberNotation } from '../reports/values/numbers.ts';
import type { ColumnReader } from './column-reader.ts';
import type { OtherColumn } from './other-column.ts';

const MINUS = 0x2d;
const ZERO = 0x30;
const POINT = 0x2e;
const COMMA = 0x2c;

/**
 * Every integer of up to 15 digits is a double, and so are the powers of ten up to 10^22, so the quotient of two is the
 * double nearest to the decimal (Clinger, "How to Read Floating Point Numbers Accurately", 1990).
 */
const MAX_DIGITS = 15;
const powers = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/** Reads plain decimals, such as 12 and -0.75, from their bytes, and all other fields as `OtherColumn` does. */
export class NumberColumn implements ColumnReader {
  readonly misfits: ColumnReader['misfits'];
  readonly #other: OtherColumn;
  readonly #separator: number;

  constructor(notation: NumberNotation, other: OtherColumn) {
    this.#other = other;
    this.misfits = other.misfits;
    // With a decimal comma, a point separates thousands.
    this.#separator = notation === 'comma' ? COMMA : POINT;
  }

  read(
    fields: Fields,
    index: number,
    values: Float64Array,
    at: number,
    step: number,
    from: number,
    to: number,
  ): void {
    const { width, bytes, starts, ends } = fields;
    const words = wordView(bytes);
    const separator = this.#separator;
    let target = at + from * step;
    for (let row = from, field = index + from * width; row < to; row++, field += width, target += step) {
      const start = starts[field] as number;
      const end = ends[field] as number;
      let place = start;
      const isNegative = bytes[place] === MINUS && place < end;
      if (isNegative) place++;
      const first = place;
      let number = 0;
      let pointAt = -1;
      for (; place < end; place++) {
        const byte = bytes[place] as number;
        const digit = byte - ZERO;
        if (digit >= 0 && digit <= 9) number = 10 * number + digit;
        else if (byte === separator && pointAt < 0) pointAt = place;
        else break;
      }
      const digits = place - first - (pointAt < 0 ? 0 : 1);
      if (place < end || digits < 1 || digits > MAX_DIGITS) {
        values[target] = this.#other.valueOf(words, start, end);
        continue;
      }
      if (pointAt >= 0) number /= powers[end - 1 - pointAt] as number;
      values[target] = isNegative ? -number : number;
    }
  }
}
