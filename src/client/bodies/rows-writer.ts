import type { BatchMemory } from '../../base/kernel/batch-memory.ts';
import { textView, type WordView } from '../../formats/bytes/word-view.ts';
import { isNumber } from '../../formats/json/write-bytes.ts';
import type { Fields } from '../../formats/records/fields.ts';
import type { BodyWriter } from './body-writer.ts';
import { type Cell, missingIn, type RowText } from './cells.ts';

/** Numbers of `Cell.kind` in assembly/write-rows.ts. */
const cellKinds = { json: 0, any: 1, text: 2, number: 3, boolean: 4, field: 5 } as const;

/** Size of the memory in which rows are written before they are copied to the body: a part of the processor's cache. */
const OUT_BYTES = 1 << 17;
/** What a value may need in addition to its bytes and its opening: quotes. */
const QUOTES_BYTES = 2;
const OMITTED = -1;

/** Writes the rows of a batch with a kernel, in whose memory they are. */
class KernelRows {
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
   * @returns writes rows from a first one on, and returns the first that it leaves: one with a control character that
   *   has no short escape, or a number that may be too large for a double, or for which there is no room
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

/** Writes all rows of a batch, whose bytes are `words`. */
export type WriteRows = (fields: Fields, words: WordView, into: BodyWriter) => void;

/**
 * Prepares to write the rows of a body, or of one of its columns. Values are copied from the bytes of a batch and never
 * become strings. Rows in the memory of a kernel are written by that; those that it leaves, and all others, by
 * TypeScript.
 */
export class RowsWriters {
  readonly #isMissing: (bytes: Buffer, start: number, end: number) => boolean;
  readonly #kernel: KernelRows | undefined;

  /** @param memory in which a kernel has found the fields of most batches */
  constructor(nulls: readonly string[], memory: BatchMemory | undefined) {
    this.#isMissing = missingIn(nulls);
    this.#kernel = memory && new KernelRows(memory, nulls);
  }

  of(cells: readonly Cell[], text: RowText): WriteRows {
    const writeRow = rowWriter(cells, text, this.#isMissing);
    const writeMany = this.#kernel?.prepare(cells, text);
    return (fields, words, into) => {
      const { rows, placed, isTyped } = fields;
      for (let row = 0; row < rows; row++) {
        if (placed !== undefined && writeMany !== undefined && !isTyped) row = writeMany(fields, row, into);
        if (row < rows) writeRow(fields, row, words, into);
      }
    };
  }
}

/** Writes a single row. */
function rowWriter(
  cells: readonly Cell[],
  text: RowText,
  isMissing: (bytes: Buffer, start: number, end: number) => boolean,
) {
  const [opening, closing, between] = [
    textView(text.opening),
    textView(text.closing),
    textView(text.between),
  ];
  const first = cells.map(cell => cellWriter(cell, WITHOUT_COMMA));
  const others = cells.map(cell => cellWriter(cell, 0));
  return (
    { width, starts, ends, isTyped = false }: Fields,
    row: number,
    words: WordView,
    into: BodyWriter,
  ): void => {
    if (row > 0) into.copy(between);
    into.copy(opening);
    const at = row * width;
    let writers = first;
    for (let place = 0; place < writers.length; place++) {
      const { index, write, writeOwn, writeMissing } = writers[place] as CellWriter; // both lists have all cells
      const start = starts[at + index] ?? 0;
      const end = ends[at + index] ?? 0;
      const own = isTyped ? writeOwn : undefined;
      const isText = own !== undefined && words.bytes[start - 1] === QUOTE;
      if ((isText && start === end) || !isMissing(words.bytes, start, end))
        (own ?? write)(words, start, end, into);
      else if (writeMissing === undefined) continue;
      else writeMissing(into);
      writers = others;
    }
    into.copy(closing);
  };
}

const WITHOUT_COMMA = 1;

interface CellWriter {
  readonly index: number;
  /** Writes what comes before the value, and the value `from.bytes[start, end)`. */
  readonly write: (from: WordView, start: number, end: number, into: BodyWriter) => void;
  /** Writes a value with a type of its own, which may be an empty text; undefined if the column's type decides. */
  readonly writeOwn: CellWriter['write'] | undefined;
  readonly writeMissing: ((into: BodyWriter) => void) | undefined;
}

/** @param skipped how many of the first bytes are not written */
function cellWriter(cell: Cell, skipped: number): CellWriter {
  const opening = textView(cell.opening.slice(skipped));
  const missing = cell.missing === undefined ? undefined : textView(cell.missing.slice(skipped));
  const write = valueWriter(cell, opening);
  const ownType = cell.keepsType ? ownTypeWriter(cell, opening) : undefined;
  return {
    index: cell.index,
    write,
    writeOwn: cell.kind === 'text' ? write : ownType,
    writeMissing: missing && (into => into.copy(missing)),
  };
}

function valueWriter({ kind }: Cell, opening: WordView): CellWriter['write'] {
  switch (kind) {
    case 'field':
      return (from, start, end, into) => into.field(opening, from, start, end);
    case 'number':
      return (from, start, end, into) => into.number(opening, from, start, end);
    case 'boolean': {
      const [yes, no] = [textView(`${opening.bytes}true`), textView(`${opening.bytes}false`)];
      return (from, start, _, into) => into.copy(isTrue(from.bytes[start]) ? yes : no);
    }
    case 'any':
      return (from, start, end, into) =>
        isNumber(from.bytes, start, end, true)
          ? into.number(opening, from, start, end)
          : into.member(opening, from, start, end, true);
    case 'json':
    case 'text': {
      const isText = kind === 'text';
      return (from, start, end, into) => into.member(opening, from, start, end, isText);
    }
  }
}

/** Writes a text as one, whatever it looks like, and `true` and `false` as they are. */
function ownTypeWriter(cell: Cell, opening: WordView): CellWriter['write'] {
  const [write, writeText] = [valueWriter(cell, opening), valueWriter({ ...cell, kind: 'text' }, opening)];
  return (from, start, end, into) => {
    const first = from.bytes[start];
    if (from.bytes[start - 1] === QUOTE) writeText(from, start, end, into);
    else if (first === SMALL_T || first === SMALL_F) {
      into.copy(opening);
      into.append(from.bytes.subarray(start, end));
    } else write(from, start, end, into);
  };
}

const [QUOTE, SMALL_F] = [0x22, 0x66];
const [ONE, SMALL_T] = [0x31, 0x74];
/** Letters of ASCII differ from the capital ones in this bit. */
const LOWER_CASE = 0x20;

/** Whether a value that is known to be a boolean begins as `true`, `t` or `1`. */
const isTrue = (first = 0): boolean => first === ONE || (first | LOWER_CASE) === SMALL_T;
