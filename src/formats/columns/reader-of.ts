import type { Value } from '../../base/contract/schemas.ts';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { POWERS_OF_TEN } from '../bytes/decimals.ts';
import { type WordView, wordView } from '../bytes/word-view.ts';
import { encodeValue } from '../json/write-bytes.ts';
import type { NumberNotation } from '../values/numbers.ts';
import { columnEncoderOf, type LearnedColumn, type Unrecognized, unrecognizedOf } from './column-encoder.ts';
import { AnyField, type ColumnReader, KernelColumn, type ReadRows } from './kernel-column.ts';
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
  const other = new FallbackColumn(column, type);
  if (memory === undefined || (column.type === 'categorical' && type !== 'categorical')) return other;
  return inKernel(column, memory, other);
}

/** Reads values of JSON, as `JsonColumn` has them. */
export const jsonReaderOf = (column: LearnedColumn, memory: BatchMemory): ColumnReader =>
  inKernel(column, memory, new JsonColumn(column));

function inKernel(column: LearnedColumn, memory: BatchMemory, other: AnyField): ColumnReader {
  if (column.type === 'numerical') return new KernelColumn(numberRows(column.notation, memory), other);
  return column.type === 'categorical' ? new KernelColumn(levelRows(column, memory), other) : other;
}

/** Fields whose values are remembered, and their maximum size: dates and amounts repeat, texts do not. */
const SLOTS = 512;
const MAX_BYTES = 40;

interface Decoded {
  value: number;
  unrecognized: Unrecognized | undefined;
}

/** Reads any field: dates, amounts with currencies, long numbers, spaces. It remembers the last values. */
class FallbackColumn extends AnyField {
  readonly #column: LearnedColumn;
  readonly #encode: ReturnType<typeof columnEncoderOf>;
  readonly #type: string | undefined;
  /** By slot, the field's size and bytes, its value, and why there is none. Created when it is first used. */
  #lengths = new Uint8Array();
  #texts = wordView(Buffer.alloc(0));
  #values = new Float64Array();
  #unrecognized: (Unrecognized | undefined)[] = [];

  constructor(column: LearnedColumn, type: string | undefined) {
    super();
    this.#column = column;
    this.#encode = columnEncoderOf(column);
    this.#type = type;
  }

  override valueOf(words: WordView, start: number, end: number): number {
    const length = end - start;
    if (length === 0) {
      this.unrecognized.missing++;
      return Number.NaN;
    }
    if (length > MAX_BYTES) {
      const { value, unrecognized } = this.#decode(words.bytes, start, end);
      this.#count(unrecognized);
      return value;
    }
    if (this.#lengths.length === 0) {
      this.#lengths = new Uint8Array(SLOTS);
      this.#texts = wordView(Buffer.alloc(SLOTS * MAX_BYTES));
      this.#values = new Float64Array(SLOTS);
      this.#unrecognized = new Array(SLOTS);
    }
    const slot = fieldHash(words, start, end) & (SLOTS - 1);
    const at = slot * MAX_BYTES;
    if (this.#lengths[slot] !== length || !isEqual(this.#texts, at, words, start, length)) {
      const { value, unrecognized } = this.#decode(words.bytes, start, end);
      this.#values[slot] = value;
      this.#unrecognized[slot] = unrecognized;
      this.#lengths[slot] = length;
      words.bytes.copy(this.#texts.bytes, at, start, end);
    }
    this.#count(this.#unrecognized[slot]);
    return this.#values[slot] as number;
  }

  #count(unrecognized: Unrecognized | undefined): void {
    if (unrecognized !== undefined) this.unrecognized[unrecognized]++;
  }

  #decode(bytes: Buffer, start: number, end: number): Decoded {
    const sent: Value = JSON.parse(encodeValue(bytes.toString('utf8', start, end), this.#type));
    const number = this.#encode(sent);
    return { value: number ?? Number.NaN, unrecognized: unrecognizedOf(this.#column, sent, number) };
  }
}

const QUOTE = 0x22;

/**
 * Reads values of JSON: a field is the text of a string, whose escapes were replaced, or a number; it is empty for
 * null. It counts nothing, as the service does not.
 */
class JsonColumn extends AnyField {
  readonly #encode: (value: Value) => number | null;

  constructor(column: LearnedColumn) {
    super();
    this.#encode = columnEncoderOf(column);
  }

  override valueOf({ bytes }: WordView, start: number, end: number): number {
    return this.#encode(jsonValue(bytes, start, end)) ?? Number.NaN;
  }
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
