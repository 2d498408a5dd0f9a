import { RowcastError } from '../../../base/errors.ts';
import type { BatchMemory } from '../../../base/kernel/batch-memory.ts';
import type { Dialect } from '../../../base/parse-records.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { readDecimal } from '../../bytes/decimals.ts';
import { FieldReader } from '../../csv/fields/field-reader.ts';
import { RecordReader } from '../../csv/records/record-reader.ts';
import type { EncodedGroupColumn } from '../../group-encoding.ts';
import { type Fields, textOf } from '../../records/fields.ts';
import { INPUT_START } from '../../records/position.ts';
import { doubleOf } from '../../required-numbers.ts';
import { NumberColumn } from './number-column.ts';
import { ValueColumn } from './value-column.ts';

export interface ValueOptions {
  readonly dialect: Dialect;
  readonly columns: readonly EncodedGroupColumn[];
  /** Texts that stand for a missing number. */
  readonly nulls: ReadonlySet<string>;
  /** The name of the output, for messages. */
  readonly file: string;
}

/** The values of a column: those that repeat as bytes, each once. */
export type ChunkValues = NumberColumn | ValueColumn;

/**
 * Reads the values of the records of CSVs, column by column, in memory that is used for one after the other. A value is
 * missing in an empty field without quotes, and in a column of numbers also where a text stands for a missing one.
 */
export class ValueReader {
  readonly #options: ValueOptions;
  readonly #memory: BatchMemory | undefined;
  readonly #columns: readonly ChunkValues[];
  /** A double, and its bytes. */
  readonly #double = new Float64Array(1);
  readonly #doubleBytes = new Uint8Array(this.#double.buffer);

  /** @param memory in which a kernel finds the fields of most records */
  constructor(options: ValueOptions, memory: BatchMemory | undefined) {
    this.#options = options;
    this.#memory = memory;
    this.#columns = options.columns.map(column => (isPlain(column) ? new NumberColumn() : new ValueColumn()));
  }

  /**
   * Reads a text.
   *
   * @param rowsBefore of the file, for messages
   * @returns the columns, which are valid until the next text is read
   * @throws RowcastError `not_a_number`
   */
  read(text: Buffer, rowsBefore: () => number): readonly ChunkValues[] {
    const { dialect, columns, file } = this.#options;
    const width = columns.length;
    const into = this.#columns.map(column => (column instanceof NumberColumn ? new NumberColumn() : column));
    for (const column of into) if (column instanceof ValueColumn) column.clear();
    const records = new RecordReader({
      dialect,
      width,
      file,
      batchRows: 10_000,
      maxRecordBytes: Number.POSITIVE_INFINITY,
      start: INPUT_START,
    });
    const reader = new FieldReader(width, dialect, this.#memory);
    for (const part of [text, undefined])
      for (const batch of part === undefined ? records.end() : records.push(part)) {
        this.#memory?.clear();
        const fields = reader.read(batch);
        if (fields.faults.size > 0) throw new Error('a record of the output is malformed');
        for (const [column, values] of into.entries()) this.#readColumn(fields, column, values, rowsBefore);
      }
    return into;
  }

  #readColumn(fields: Fields, column: number, into: ChunkValues, rowsBefore: () => number): void {
    const { columns, nulls, file, dialect } = this.#options;
    const { name, type } = columns[column] ?? {};
    const { bytes, starts, ends, rows, width } = fields;
    const quote = dialect.quote?.charCodeAt(0);
    // Alone, a prediction that is missing has quotes, because an empty line would be no row; none is an empty text.
    const isMissing = type === 'number' || columns.length === 1;
    for (let row = 0; row < rows; row++) {
      const at = row * width + column;
      const start = starts[at] as number;
      const end = ends[at] as number;
      const isQuoted = (): boolean => quote !== undefined && bytes[start - 1] === quote;
      if (start === end && (isMissing || !isQuoted())) {
        if (into instanceof NumberColumn) into.add(null);
        else into.addMissing();
      } else if (type === 'text' && into instanceof ValueColumn) into.add(bytes, start, end);
      else {
        const plain = readDecimal(bytes, start, end);
        const number = isExact(plain, nulls) ? plain : doubleOf(textOf(fields, row, column), nulls);
        if (number === undefined)
          throw notANumber(name ?? '', textOf(fields, row, column), file, rowsBefore() + into.rows + 1);
        this.#addNumber(number, into);
      }
    }
  }

  #addNumber(number: number | null, into: ChunkValues): void {
    if (into instanceof NumberColumn) into.add(number);
    else if (number === null) into.addMissing();
    else {
      this.#double[0] = number;
      into.add(this.#doubleBytes, 0, this.#doubleBytes.length);
    }
  }
}

/** Whether the numbers of a column are written as they are, because few of them repeat. */
export const isPlain = ({ type, isVaried = false }: EncodedGroupColumn): boolean =>
  type === 'number' && isVaried;

/** Whether a number of few digits is what its text says, unless that stands for a missing one, such as -1. */
const isExact = (plain: number, nulls: ReadonlySet<string>): boolean =>
  !Number.isNaN(plain) && nulls.size === 0;

const notANumber = (column: string, value: string, file: string, row: number): RowcastError =>
  new RowcastError(
    'not_a_number',
    `row ${row} of the output: a value of the column "${sanitize(column)}" is not a number that a double can have`,
    {
      severity: 'stopped',
      location: { file },
      quote: `it is "${sanitize(value)}"`,
      hint: 'Name it as a missing value with --nulls, or leave the column out with --keep; for texts, use --types COLUMN=text.',
    },
  );
