import { unknownColumns } from '../../base/contract/predictions.ts';
import type { ValueWarning } from '../../base/contract/schemas.ts';
import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { sanitize } from '../../base/sanitize.ts';
import { columnEncoderOf, type LearnedColumn } from '../../formats/columns/column-encoder.ts';
import { ValueWarnings } from '../../models/model/value-warnings.ts';
import { RequestError } from '../problems/problems.ts';
import { type JsonReader, tooManyMembers } from './json-reader.ts';
import { KernelPersonas, type PersonaSlice } from './kernel-personas.ts';

/** Why one persona of a batch has no prediction. */
export interface PersonaError {
  code: 'not_a_persona' | 'unknown_columns' | 'invalid_value';
  message: string;
}

export interface EncodedPersonas {
  /** The number of personas. */
  rows: number;
  /**
   * A number per column and persona, persona after persona, as models take them. Those of a persona with an error have
   * no meaning. They are overwritten by the next read.
   */
  values: Float64Array;
  /** By the persona's index. */
  errors: Map<number, PersonaError>;
}

/** Maximum members of one persona, including those nested in ignored values: twice the columns of an upload. */
const MAX_MEMBERS = 20_000;
/** Names longer than this are looked up rather than compared. */
const MAX_EXPECTED_BYTES = 200;

/** A column that the report knows. */
interface Known {
  name: string;
  /** The engine's columns that are derived from it: a date may become several. */
  columns: { index: number; learned: LearnedColumn; encode: ReturnType<typeof columnEncoderOf> }[];
}

/**
 * Reads personas from JSON directly into the numbers that models take. Missing columns, nulls and unknown levels are
 * missing values. Columns that the report does not have are ignored, unless a persona has no others.
 */
export class PersonaReader {
  /** The number of columns of the engine. */
  readonly width: number;
  readonly #known = new Map<string, Known>();
  /** The members of the previous persona, in order; the next one probably has the same. */
  readonly #expected: { bytes: Buffer; known: Known | undefined }[] = [];
  /** How many of them the previous persona had. */
  #memberCount = 0;
  #values = new Float64Array();
  readonly #kernel: KernelPersonas | undefined;

  /** @param memory in which a kernel may read most personas */
  constructor(learned: readonly LearnedColumn[], memory?: BatchMemory) {
    this.width = learned.length;
    this.#kernel = memory && new KernelPersonas(learned, memory);
    learned.forEach((column, index) => {
      const { name } = column;
      const known = this.#known.get(name) ?? { name, columns: [] };
      known.columns.push({ index, learned: column, encode: columnEncoderOf(column) });
      this.#known.set(name, known);
    });
  }

  /** Reads one persona, positioned at its features. */
  readFeatures(json: JsonReader): EncodedPersonas & { warnings: ValueWarning[] } {
    const warnings = new ValueWarnings();
    const values = this.#memoryFor(1);
    const errors = new Map<number, PersonaError>();
    values.fill(Number.NaN, 0, this.width);
    const error = this.#features(json, values, 0, warnings);
    if (error !== undefined) errors.set(0, error);
    return { rows: 1, values: values.subarray(0, this.width), errors, warnings: warnings.list };
  }

  /**
   * Reads the next personas of a list: at most `rows`, and only those that start within the next `bytes` bytes.
   *
   * @returns `isLast` is true at the end of the list
   */
  read(json: JsonReader, rows: number, bytes: number): EncodedPersonas & { isLast: boolean } {
    const end = json.at + bytes;
    const errors = new Map<number, PersonaError>();
    // It says what the members of the others probably are.
    let isLast = this.#next(json, 0, 0, errors);
    const slice = isLast || rows === 1 ? undefined : this.#sliceOf(json, rows, end);
    if (slice !== undefined) return this.#readInKernel(json, slice, end, errors);
    let row = 1;
    for (; !isLast && row < rows && json.at < end; row++) isLast = this.#next(json, row, row, errors);
    return { rows: row, values: this.#values.subarray(0, row * this.width), errors, isLast };
  }

  /** Reads personas with a kernel, and those that it leaves in TypeScript, as the first one was. */
  #readInKernel(
    json: JsonReader,
    slice: PersonaSlice,
    end: number,
    errors: Map<number, PersonaError>,
  ): EncodedPersonas & { isLast: boolean } {
    const { width } = this;
    const { values } = slice;
    const members = slice.members + 1;
    /** The rows that the kernel has left. */
    const left = [0];
    let row = 1;
    let isLast = false;
    while (!isLast && row < slice.rows && json.at < end) {
      const found = slice.find(json.at, row, json.itemsLeft(members));
      if (found.rows > 0) {
        json.passItems(found.rows, members, found.end);
        isLast = !json.another();
        row += found.rows;
      } else {
        isLast = this.#next(json, left.length, row, errors);
        left.push(row++);
      }
    }
    values.fill(Number.NaN, 0, row * width);
    slice.read(row, left);
    for (const [index, own] of left.entries())
      values.set(this.#values.subarray(index * width, (index + 1) * width), own * width);
    return { rows: row, values: values.subarray(0, row * width), errors, isLast };
  }

  /** Reads any persona, with its values at an index of `#values`. @returns whether it is the last one */
  #next(json: JsonReader, index: number, row: number, errors: Map<number, PersonaError>): boolean {
    const values = this.#memoryFor(index + 1);
    values.fill(Number.NaN, index * this.width, (index + 1) * this.width);
    const error = this.#persona(json, values, index);
    if (error !== undefined) errors.set(row, error);
    return !json.another();
  }

  /** The personas up to an offset for a kernel, which are expected to have the members of the previous one. */
  #sliceOf(json: JsonReader, rows: number, end: number): PersonaSlice | undefined {
    const expected = this.#expected.slice(0, this.#memberCount).map(({ bytes, known }) => ({
      name: bytes,
      columns: known?.columns.map(({ index }) => index) ?? [],
    }));
    if (expected.every(({ columns }) => columns.length === 0)) return undefined;
    // The first one is read already, with a comma behind it.
    const { at } = json;
    const slice = { at, bytes: end - at, maxRows: rows };
    return this.#kernel?.begin(json.bytes, slice, expected);
  }

  /** Memory for so many rows, which keeps those that are in it. */
  #memoryFor(rows: number): Float64Array {
    const size = rows * this.width;
    if (this.#values.length < size) {
      const larger = new Float64Array(2 * size);
      larger.set(this.#values);
      this.#values = larger;
    }
    return this.#values;
  }

  #persona(json: JsonReader, values: Float64Array, row: number): PersonaError | undefined {
    if (!json.nextIsObject()) {
      json.skip();
      return notAPersona;
    }
    let error: PersonaError | undefined = notAPersona;
    let isKnown = false;
    if (!json.enter()) return error;
    do {
      if (json.name().name === 'features') {
        if (isKnown) throw new RequestError('malformed', 'A persona has two "features" members.');
        isKnown = true;
        error = this.#features(json, values, row);
      } else json.skip();
    } while (json.anotherMember());
    return error;
  }

  #features(
    json: JsonReader,
    values: Float64Array,
    row: number,
    warnings?: ValueWarnings,
  ): PersonaError | undefined {
    if (!json.nextIsObject()) {
      json.skip();
      return notAPersona;
    }
    const most = json.members + MAX_MEMBERS;
    let error: PersonaError | undefined;
    let count = 0;
    let position = 0;
    if (json.enter()) {
      do {
        const known = this.#member(json, position++);
        if (known === undefined) json.skip();
        else {
          count++;
          const value = json.scalar();
          if (value === undefined) error ??= invalidValue(known.name);
          else
            for (const { index, learned, encode } of known.columns) {
              const number = encode(value);
              values[row * this.width + index] = number ?? Number.NaN;
              warnings?.add(learned, value, number);
            }
        }
        if (json.members > most) throw tooManyMembers('A persona', MAX_MEMBERS);
      } while (json.anotherMember());
    }
    this.#memberCount = position;
    return error ?? (count === 0 ? unknownColumns : undefined);
  }

  /** Reads a member's name: compares its bytes with the previous persona's name, and decodes it only if they differ. */
  #member(json: JsonReader, position: number): Known | undefined {
    const expected = this.#expected[position];
    if (expected !== undefined && json.passName(expected.bytes)) return expected.known;
    const { name, bytes } = json.name();
    const known = this.#known.get(name);
    // Only a name without escapes can be recognized by its bytes alone.
    const isPlain = bytes.length === Buffer.byteLength(name) + 2;
    if (isPlain && bytes.length <= MAX_EXPECTED_BYTES && position <= this.#expected.length)
      this.#expected[position] = { bytes: Buffer.from(bytes), known };
    return known;
  }
}

export const notAPersona: PersonaError = {
  code: 'not_a_persona',
  message: 'A persona must be an object with "features", an object of column names and values.',
};

const invalidValue = (name: string): PersonaError => ({
  code: 'invalid_value',
  message: `The value of ${JSON.stringify(sanitize(name))} is not a string, number, boolean or null.`,
});
