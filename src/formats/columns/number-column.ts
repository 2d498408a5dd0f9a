import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { NumberNotation } from '../values/numbers.ts';
import type { ReadRows } from './kernel-column.ts';

const POINT = 0x2e;
const COMMA = 0x2c;

/**
 * Every integer of up to 15 digits is a double, and so are the powers of ten up to 10^22, so the quotient of two is the
 * double nearest to the decimal (Clinger, "How to Read Floating Point Numbers Accurately", 1990).
 */
const MAX_DIGITS = 15;
const powers = Float64Array.from({ length: MAX_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

/** Reads plain decimals, such as 12 and -0.75. */
export function numberRows(notation: NumberNotation, memory: BatchMemory): ReadRows {
  // With a decimal comma, a point separates thousands.
  const separator = notation === 'comma' ? COMMA : POINT;
  const powersAt = memory.keep(powers);
  return (kernel, { bytes, starts, ends, fieldStep, values, valueStep }, first, rows) =>
    kernel.readNumbers(bytes, starts, ends, fieldStep, values, valueStep, first, rows, separator, powersAt);
}
