import type { Dialect } from '../../base/parse-records.ts';
import type { RecordAt } from '../comparison.ts';
import { batchOfOne } from '../records/batch.ts';
import { type CellLines, cellLines } from './cell-lines.ts';
import { membersOf } from './members.ts';

const QUOTE = 0x22;

/**
 * The lines that a run makes of the records of a CSV. A field that is written as a number may be one or a text, by the type of its
 * column, which only the first such value of the output tells.
 */
export class ComparedLines {
  readonly #names: readonly string[];
  readonly #dialect: Dialect;
  readonly #nameOf: (column: string) => string;
  /** Whether each column has numbers, as far as the output has told. */
  readonly #areNumbers: (boolean | undefined)[];
  #asTexts: CellLines;
  /** If the types of some columns are not known, the lines if they have numbers. */
  #asNumbers: CellLines | undefined;

  /** @param nameOf a column's name in the output */
  constructor(names: readonly string[], dialect: Dialect, nameOf: (column: string) => string) {
    this.#names = names;
    this.#dialect = dialect;
    this.#nameOf = nameOf;
    this.#areNumbers = names.map(() => undefined);
    this.#asTexts = this.#lines(false);
    this.#asNumbers = this.#lines(true);
  }

  /** The line of a record, as the output has it, with all columns. */
  of({ bytes, start, contentEnd }: RecordAt, output: RecordAt): RecordAt {
    const batch = batchOfOne(bytes.subarray(start, contentEnd));
    const line = this.#asTexts.linesOf(batch).bytes;
    const other = this.#asNumbers?.linesOf(batch).bytes;
    if (other === undefined || other.equals(line)) return { bytes: line, start: 0, contentEnd: line.length };
    this.#learn([line, other], output);
    const learned = this.#asTexts.linesOf(batch).bytes;
    return { bytes: learned, start: 0, contentEnd: learned.length };
  }

  #lines(isNumber: boolean): CellLines {
    return cellLines(
      this.#names,
      this.#dialect,
      this.#areNumbers.map(known => known ?? isNumber),
    );
  }

  /** @param lines of a record, if the columns of which nothing is known have texts, and if they have numbers */
  #learn([text, number]: readonly [Buffer, Buffer], output: RecordAt): void {
    const values = new Map(membersIn(output).map(({ name, value }) => [name, output.bytes[value]]));
    const [asText, asNumber] = [membersOf(text, 0, text.length), membersOf(number, 0, number.length)];
    for (const [column, name] of this.#names.entries()) {
      const isEither = text[asText[column]?.value ?? -1] !== number[asNumber[column]?.value ?? -1];
      const first = values.get(this.#nameOf(name));
      if (isEither && first !== undefined) this.#areNumbers[column] = first !== QUOTE;
    }
    this.#asTexts = this.#lines(false);
    this.#asNumbers = this.#areNumbers.includes(undefined) ? this.#lines(true) : undefined;
  }
}

/** The members of a line; none if it is not an object. */
function membersIn({ bytes, start, contentEnd }: RecordAt): ReturnType<typeof membersOf> {
  try {
    JSON.parse(bytes.toString('utf8', start, contentEnd));
    return membersOf(bytes, start, contentEnd);
  } catch {
    return [];
  }
}
