import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { LearnedColumn } from '../../formats/columns/column-encoder.ts';
import type { ColumnReader } from '../../formats/columns/kernel-column.ts';
import { jsonReaderOf } from '../../formats/columns/reader-of.ts';
import type { Fields } from '../../formats/records/fields.ts';

const OFFSET_BYTES = Int32Array.BYTES_PER_ELEMENT;
/** Number of zeros that the kernel needs behind the bytes. */
const PADDING = 16;
/** A persona that begins in a slice may end behind it. */
const LONGEST_BYTES = 64 << 10;
const OPENING = Buffer.from('{"features":{');
const CLOSING_BYTES = 2;
const IGNORED = -1;

/** A member that all personas are expected to have, one after the other. */
interface ExpectedMember {
  /** Its name in JSON, with the quotes. */
  readonly name: Buffer;
  /** The engine's columns that are read from it; none if the report does not know it. */
  readonly columns: readonly number[];
}

/** Reads personas with the same members in the same order, as most clients send them, in the memory of a kernel. */
export class KernelPersonas {
  readonly #memory: BatchMemory;
  readonly #columns: readonly LearnedColumn[];
  readonly #readers: readonly ColumnReader[];

  /** @param memory in which the model's columns are kept; in use from `begin` on, until the model has predicted */
  constructor(columns: readonly LearnedColumn[], memory: BatchMemory) {
    this.#memory = memory;
    this.#columns = columns;
    this.#readers = columns.map(column => jsonReaderOf(column, memory));
  }

  /**
   * Copies a slice of a list of personas to the memory. The first one was read already.
   *
   * @param at where it begins, and `bytes` before whose end personas may begin
   * @param maxRows the most rows to read
   */
  begin(
    body: Buffer,
    { at, bytes, maxRows }: { at: number; bytes: number; maxRows: number },
    expected: readonly ExpectedMember[],
  ): PersonaSlice {
    const memory = this.#memory;
    const width = this.#columns.length;
    const fields = expected.filter(({ columns }) => columns.length > 0);
    const window = body.subarray(at, Math.min(body.length, at + bytes + LONGEST_BYTES));
    // A name, a colon, a comma and a value of at least one byte.
    const least = expected.reduce((size, { name }) => size + name.length + 3, OPENING.length + CLOSING_BYTES);
    const rows = Math.min(maxRows, 1 + Math.ceil(window.length / least));
    memory.clear();
    const valuesAt = memory.reserve(rows * width * Float64Array.BYTES_PER_ELEMENT);
    const bytesAt = memory.reserve(window.length + PADDING);
    const [startsAt, endsAt] = [0, 0].map(() => memory.reserve(rows * fields.length * OFFSET_BYTES)) as [
      number,
      number,
    ];
    const templateAt = this.#copyTemplate(expected, fields);
    const { buffer, kernel } = memory;
    const copy = Buffer.from(buffer, bytesAt, window.length + PADDING);
    window.copy(copy);
    copy.fill(0, window.length);
    const placed: Fields = {
      rows,
      width: fields.length,
      bytes: copy,
      faults: new Map(),
      starts: new Int32Array(buffer, startsAt, rows * fields.length),
      ends: new Int32Array(buffer, endsAt, rows * fields.length),
      placed: { kernel, bytes: bytesAt, recordEnds: 0, kinds: 0 },
    };
    const values = new Float64Array(buffer, valuesAt, rows * width);
    const rowStep = fields.length * OFFSET_BYTES;
    return {
      rows,
      members: expected.length,
      values,
      find: (from, first, most) => {
        const found = kernel.findPersonas(
          bytesAt,
          from - at,
          Math.min(bytes, window.length),
          templateAt,
          startsAt + first * rowStep,
          endsAt + first * rowStep,
          rowStep,
          Math.min(rows - first, most),
        );
        return { rows: found, end: at + kernel.foundTo.value };
      },
      read: (to, left) => {
        for (const row of left) {
          placed.starts.fill(0, row * fields.length, (row + 1) * fields.length);
          placed.ends.fill(0, row * fields.length, (row + 1) * fields.length);
        }
        for (const [index, { columns }] of fields.entries())
          for (const column of columns)
            this.#readers[column]?.read(placed, index, values, column, width, 0, to);
      },
    };
  }

  /** A `Template` of assembly/find-personas.ts. */
  #copyTemplate(expected: readonly ExpectedMember[], fields: readonly ExpectedMember[]): number {
    const texts = [OPENING, ...expected.map(({ name }) => Buffer.concat([name, COLON]))];
    const offsets = texts.map(text => this.#copy(text));
    const fieldIndexes = new Map(fields.map((member, index) => [member, index]));
    const members = expected.flatMap((member, i) => {
      const index = fieldIndexes.get(member);
      const isText = member.columns.some(column => this.#columns[column]?.type !== 'numerical');
      return [
        offsets[i + 1] as number,
        (texts[i + 1] as Buffer).length,
        index === undefined ? IGNORED : index * OFFSET_BYTES,
        Number(isText),
      ];
    });
    const membersAt = this.#copy(Int32Array.from(members));
    return this.#copy(Int32Array.of(offsets[0] as number, OPENING.length, membersAt, expected.length));
  }

  #copy({ buffer, byteOffset, byteLength }: Uint8Array | Int32Array): number {
    const at = this.#memory.reserve(byteLength);
    new Uint8Array(this.#memory.buffer, at).set(new Uint8Array(buffer, byteOffset, byteLength));
    return at;
  }
}

const COLON = Buffer.from(':');

/** A slice of a list of personas in the memory of a kernel. */
export interface PersonaSlice {
  /** How many rows it has memory for. */
  readonly rows: number;
  /** How many members the features of an expected persona have. */
  readonly members: number;
  /** A number for each column and row, row after row. */
  readonly values: Float64Array;
  /**
   * Finds personas as expected.
   *
   * @param from where the first one begins in the body
   * @param first its row
   * @param most personas to find
   * @returns how many there are, and where the last of them ends
   */
  find(from: number, first: number, most: number): { rows: number; end: number };
  /**
   * Reads the values of all rows before `to`, except for columns that they do not have.
   *
   * @param left rows that were not found
   */
  read(to: number, left: readonly number[]): void;
}
