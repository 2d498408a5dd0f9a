import { RowcastError } from '../../../base/errors.ts';
import { enlarged, ValueTable } from '../../bytes/value-table.ts';

/** The bytes of different values stay below this: their places are 32-bit integers. */
const MAX_BYTES = 2 ** 31;

/** The values of a column as bytes, each different one once. */
export class ValueColumn {
  #rows = 0;
  #present = 0;
  #presentBytes = 0;
  /** For each row, the index of its value; -1 if it is missing. */
  #codes = new Int32Array(1 << 10);
  readonly #table: ValueTable;

  /** @param maxBytes that the different values take in all: fewer */
  constructor(maxBytes = MAX_BYTES) {
    this.#table = new ValueTable(maxBytes);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Rows that have a value. */
  get present(): number {
    return this.#present;
  }

  /** The bytes of the values of all rows. */
  get presentBytes(): number {
    return this.#presentBytes;
  }

  get codes(): Int32Array {
    return this.#codes.subarray(0, this.#rows);
  }

  /** The different values, in the order of their first rows. */
  get dictionary(): { bytes: Buffer; ends: Int32Array } {
    return this.#table.values;
  }

  /** The value of a row; undefined if it is missing. */
  at(row: number): Buffer | undefined {
    const code = this.#codes[row] ?? -1;
    return code < 0 ? undefined : this.#table.at(code);
  }

  clear(): void {
    this.#rows = 0;
    this.#present = 0;
    this.#presentBytes = 0;
    this.#table.clear();
  }

  /** @throws RowcastError `group_too_large` */
  add(bytes: Uint8Array, start: number, end: number): void {
    this.#present++;
    this.#presentBytes += end - start;
    const code = this.#table.indexOf(bytes, start, end);
    if (code === undefined)
      throw new RowcastError('group_too_large', 'the texts of a column take 2 GiB or more in a row group', {
        severity: 'stopped',
        hint: 'Write smaller row groups, with --group-rows.',
      });
    this.#addCode(code);
  }

  addMissing(): void {
    this.#addCode(-1);
  }

  #addCode(code: number): void {
    if (this.#rows === this.#codes.length) this.#codes = enlarged(this.#codes);
    this.#codes[this.#rows++] = code;
  }
}
