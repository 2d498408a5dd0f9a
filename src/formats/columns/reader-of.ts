import type { Value } from '../../base/contract/schemas.ts';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { POWERS_OF_TEN } from '../bytes/decimals.ts';
import { wordView } from '../bytes/word-view.ts';
import { encodeValue } from '../json/write-bytes.ts';
import type { NumberNotation } from '../values/numbers.ts';
import { columnEncoderOf, type LearnedColumn, type Unrecognized, unrecognizedOf } from './column-encoder.ts';
import {
  type AnyField,
  type ColumnReader,
  columnOf,
  noneUnrecognized,
  type ReadRows,
} from './kernel-column.ts';
import { fieldHash, isEqual, levelRows } from './level-column.ts';

/**
 * Reads values as the service does that gets them as JSON: `encodeValue` decides by the column's type whether a field
 * is a number or a string, and `encoderOf` what the model makes of it. The common ones are read from their bytes.
 *
 * @param type of the column, as `FeatureColumn` has it
 * @param memory of the kernel that reads the common fields; none of it while a batch is in use
 */
export function readerOf(
  column: LearnedColumn,
  type: string | undefined,
  memory: BatchMemory | undefined,
): ColumnReader {
  const other = fallbackField(column, type);
  if (memory === undefined || (column.type === 'categorical' && type !== 'categorical'))
    return columnOf(other);
  return columnOf(other, rowsInKernel(column, memory));
}

/** Reads values of JSON. */
export const jsonReaderOf = (column: LearnedColumn, memory: BatchMemory): ColumnReader =>
  columnOf(jsonField(column), rowsInKernel(column, memory));

function rowsInKernel(column: LearnedColumn, memory: BatchMemory): ReadRows | undefined {
  if (column.type === 'numerical') return numberRows(column.notation, memory);
  return column.type === 'categorical' ? levelRows(column, memory) : undefined;
}

/** Fields whose values are remembered, and their maximum size: dates and amounts repeat, texts do not. */
const SLOTS = 512;
const MAX_BYTES = 40;

/** Reads any field: dates, amounts with currencies, long numbers, spaces. It remembers the last values. */
function fallbackField(column: LearnedColumn, type: string | undefined): AnyField {
  const encode = columnEncoderOf(column);
  const unrecognized = noneUnrecognized();
  /** By slot, the field's size and bytes, its value, and why there is none. Created when it is first used. */
  let lengths = new Uint8Array();
  let texts = wordView(Buffer.alloc(0));
  let values = new Float64Array();
  let reasons: (Unrecognized | undefined)[] = [];
  const decode = (bytes: Buffer, start: number, end: number) => {
    const sent: Value = JSON.parse(encodeValue(bytes.toString('utf8', start, end), type));
    const number = encode(sent);
    return { value: number ?? Number.NaN, reason: unrecognizedOf(column, sent, number) };
  };
  const count = (reason: Unrecognized | undefined): void => {
    if (reason !== undefined) unrecognized[reason]++;
  };
  return {
    unrecognized,
    valueOf(words, start, end) {
      const length = end - start;
      if (length === 0) {
        unrecognized.missing++;
        return Number.NaN;
      }
      if (length > MAX_BYTES) {
        const { value, reason } = decode(words.bytes, start, end);
        count(reason);
        return value;
      }
      if (lengths.length === 0) {
        lengths = new Uint8Array(SLOTS);
        texts = wordView(Buffer.alloc(SLOTS * MAX_BYTES));
        values = new Float64Array(SLOTS);
        reasons = new Array(SLOTS);
      }
      const slot = fieldHash(words, start, end) & (SLOTS - 1);
      const at = slot * MAX_BYTES;
      if (lengths[slot] !== length || !isEqual(texts, at, words, start, length)) {
        const { value, reason } = decode(words.bytes, start, end);
        values[slot] = value;
        reasons[slot] = reason;
        lengths[slot] = length;
        words.bytes.copy(texts.bytes, at, start, end);
      }
      count(reasons[slot]);
      return values[slot] as number;
    },
  };
}

const QUOTE = 0x22;

/**
 * Reads values of JSON: a field is the text of a string, whose escapes were replaced, or a number; it is empty for
 * null. It counts nothing, as the service does not.
 */
function jsonField(column: LearnedColumn): AnyField {
  const encode = columnEncoderOf(column);
  return {
    unrecognized: noneUnrecognized(),
    valueOf: ({ bytes }, start, end) => encode(jsonValue(bytes, start, end)) ?? Number.NaN,
  };
}

function jsonValue(bytes: Buffer, start: number, end: number): Value {
  if (bytes[start - 1] === QUOTE) return bytes.toString('utf8', start, end);
  return start === end ? null : Number(bytes.toString('latin1', start, end));
}

const POINT = 0x2e;
const COMMA = 0x2c;

/** Reads plain decimals, such as 12 and -0.75, as `readDecimal` does. */
function numberRows(notation: NumberNotation, memory: BatchMemory): ReadRows {
  // With a decimal comma, a point separates thousands.
  const separator = notation === 'comma' ? COMMA : POINT;
  const powersAt = memory.keep(POWERS_OF_TEN);
  return (kernel, { bytes, starts, ends, fieldStep, values, valueStep }, first, rows) =>
    kernel.readNumbers(bytes, starts, ends, fieldStep, values, valueStep, first, rows, separator, powersAt);
}
