import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { BodyWriter } from './body-writer.ts';
import type { Cell, RowText } from './cells.ts';

/** Numbers of `Cell.kind` in assembly/write-rows.ts. */
const cellKinds = { json: 0, any: 1, text: 2, number: 3, boolean: 4, field: 5 } as const;

/** Size of the memory in which rows are written before they are copied to the body: a part of the processor's cache. */
const OUT_BYTES = 1 << 17;
/** What a value may need in addition to its bytes and its opening: quotes. */
const QUOTES_BYTES = 2;
const OMITTED = -1;

/** Writes the rows of a batch with a kernel, in whose memory they are. */
export class KernelRows {
  readonly #memory: BatchMemory;
  readonly #nulls: number;
  readonly #nullCount: number;
  #out = 0;
  #outBytes = 0;

  constructor(memory: BatchMemory, nulls: readonly string[]) {
    this.#memory = memory;
    this.#nulls = memory.keep(Int32Array.from(nulls.flatMap(text => this.#keepText(text))));
    this.#nullCount = nulls.length;
  }

  /**
   * Prepares to write rows.
   *
   * @returns writes rows from a first one on, and returns the first that it leaves: one with a control character that has no short
   *   escape, or a number that may be too large for a double, or for which there is no room
   */
  prepare(
    cells: readonly Cell[],
    text: RowText,
  ): (fields: Fields, first: number, into: BodyWriter) => number {
    const memory = this.#memory;
    const textBytes = maxTextBytes(cells, text);
    const layout = this.#keepLayout(cells, text, textBytes);
    this.#reserveOut(OUT_BYTES + textBytes);
    return ({ rows, width, starts, ends, placed }, first, into) => {
      if (placed === undefined) throw new TypeError('the fields are not in the memory of a kernel');
      const { kernel, bytes } = placed;
      const rowStep = width * starts.BYTES_PER_ELEMENT;
      for (let row = first; ; ) {
        const next = kernel.writeRows(
          bytes,
          starts.byteOffset,
          ends.byteOffset,
          rowStep,
          row,
          rows,
          layout,
          this.#out,
          this.#outBytes,
        );
        into.append(Buffer.from(memory.buffer, this.#out, kernel.written.value));
        if (next === row || next === rows) return next;
        row = next;
      }
    };
  }

  #keepLayout(cells: readonly Cell[], { between, opening, closing }: RowText, textBytes: number): number {
    const kept = cells.flatMap(({ index, kind, opening, missing }) => [
      index * Int32Array.BYTES_PER_ELEMENT,
      cellKinds[kind],
      ...this.#keepText(opening),
      ...(missing === undefined ? [0, OMITTED] : this.#keepText(missing)),
      ...this.#keepText(`${opening}true`),
      ...this.#keepText(`${opening}false`),
    ]);
    const cellsAt = this.#memory.keep(Int32Array.from(kept));
    return this.#memory.keep(
      Int32Array.of(
        ...this.#keepText(between),
        ...this.#keepText(opening),
        ...this.#keepText(closing),
        cellsAt,
        cells.length,
        this.#nulls,
        this.#nullCount,
        textBytes,
      ),
    );
  }

  /** @returns its address and size */
  #keepText(text: string): [number, number] {
    const bytes = Buffer.from(text);
    return [this.#memory.keep(bytes), bytes.length];
  }

  #reserveOut(bytes: number): void {
    if (bytes <= this.#outBytes) return;
    this.#out = this.#memory.keep(new Uint8Array(bytes));
    this.#outBytes = bytes;
  }
}

/** The most bytes of a row besides its values. */
function maxTextBytes(cells: readonly Cell[], { between, opening, closing }: RowText): number {
  const around = Buffer.byteLength(between + opening + closing);
  return cells.reduce(
    (bytes, { opening, missing = '' }) =>
      bytes + Math.max(Buffer.byteLength(`${opening}false`) + QUOTES_BYTES, Buffer.byteLength(missing)),
    around,
  );
}
