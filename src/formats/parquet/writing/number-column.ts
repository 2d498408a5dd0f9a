/** The numbers of a column, some of which may be missing. */
export class NumberColumn {
  #rows = 0;
  #count = 0;
  #values: Float64Array;
  /** A byte for each row, if one is missing. */
  #present: Uint8Array | undefined;

  /** @param size rows for which there is memory from the start */
  constructor(size = 0) {
    this.#values = new Float64Array(size);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Those that are there, in order. */
  get values(): Float64Array {
    return this.#values.subarray(0, this.#count);
  }

  /**
   * Those of rows `[from, to)` that are there, which begin at `values[first]`, and whether each row has one: all do
   * without it.
   */
  slice(from: number, to: number, first: number): { values: Float64Array; present: Uint8Array | undefined } {
    const present = this.#present?.subarray(from, to);
    const count = present?.reduce((sum, one) => sum + one, 0) ?? to - from;
    return { values: this.#values.subarray(first, first + count), present };
  }

  /**
   * Adds rows.
   *
   * @param present whether each has a value, as 0 or 1
   */
  push(values: Float64Array, present: Uint8Array): void {
    const rows = values.length;
    this.#reserve(rows);
    if (!present.includes(0)) {
      this.#values.set(values, this.#count);
      this.#count += rows;
      this.#present?.fill(1, this.#rows, this.#rows + rows);
    } else {
      this.#present ??= new Uint8Array(this.#values.length).fill(1, 0, this.#rows);
      this.#present.set(present, this.#rows);
      for (let row = 0; row < rows; row++)
        if (present[row] === 1) this.#values[this.#count++] = values[row] as number;
    }
    this.#rows += rows;
  }

  /** Adds a row. */
  add(value: number | null): void {
    this.#reserve(1);
    if (value === null) {
      this.#present ??= new Uint8Array(this.#values.length).fill(1, 0, this.#rows);
      this.#present[this.#rows++] = 0;
      return;
    }
    this.#values[this.#count++] = value;
    if (this.#present !== undefined) this.#present[this.#rows] = 1;
    this.#rows++;
  }

  #reserve(rows: number): void {
    const needed = this.#rows + rows;
    if (needed <= this.#values.length) return;
    const size = Math.max(needed, 2 * this.#values.length, 256);
    const values = new Float64Array(size);
    values.set(this.values);
    this.#values = values;
    if (this.#present === undefined) return;
    const present = new Uint8Array(size);
    present.set(this.#present);
    this.#present = present;
  }
}
