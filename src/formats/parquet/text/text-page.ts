import { isUtf8 } from 'node:buffer';
import { RowcastError } from '../../../base/errors.ts';
import { sanitize } from '../../../base/sanitize.ts';
import { needsQuotes } from '../../csv/fields/count-fields.ts';
import type { FileColumn } from '../footer/file-column.ts';
import { readHybrid } from './levels.ts';
import { doubleText, type Physical, parquetValueText } from './value-text.ts';

/** Consecutive values of a column. */
export type TextPage = CellPage | CodedPage | DoublePage;

/** Values as cells of a text: fields of a CSV, or values of JSON. */
export interface CellPage {
  readonly is: 'cells';
  readonly rows: number;
  /**
   * For each row, the index of its cell; -1 if its value is missing. Without codes, cell i is that of row i, and they
   * are in order.
   */
  readonly codes: Int32Array | undefined;
  /** Cell i is `bytes[starts[i], ends[i])`; that of a missing value begins at -1. */
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Values of a dictionary, none of which is missing, as the page has them. */
export interface CodedPage {
  readonly is: 'coded';
  readonly rows: number;
  /** The indexes of their cells, in the hybrid of run-length encoding and bit-packing. */
  readonly bytes: Buffer;
  readonly bits: number;
  readonly dictionary: PageCells;
}

/** Doubles, none of which is missing, as the page has them. */
export interface DoublePage {
  readonly is: 'doubles';
  readonly rows: number;
  readonly bytes: Buffer;
}

export type PageCells = Pick<CellPage, 'bytes' | 'starts' | 'ends'>;

const [POINT, ZERO] = [0x2e, 0x30];
const [COMMA = 0, QUOTE = 0, LF = 0, CR = 0] = Buffer.from(',"\n\r');

/** Collects cells of a text, one after the other. */
export class CellWriter {
  #bytes: Buffer;
  #at = 0;
  readonly #starts: Int32Array;
  readonly #ends: Int32Array;
  #cells = 0;

  readonly #kind: TextKind;

  /** @param count of all cells */
  constructor(count: number, kind: TextKind) {
    this.#kind = kind;
    this.#bytes = Buffer.allocUnsafeSlow(Math.max(64, 12 * count));
    this.#starts = new Int32Array(count);
    this.#ends = new Int32Array(count);
  }

  get cells(): PageCells {
    return { bytes: this.#bytes, starts: this.#starts, ends: this.#ends };
  }

  /** Adds a value in Latin-1 without delimiters, quotes and line breaks. */
  addPlain(text: string): void {
    this.#reserve(text.length);
    const start = this.#at;
    // Most are shorter than what a call of `write` costs.
    for (let index = 0; index < text.length; index++) this.#bytes[this.#at++] = text.charCodeAt(index);
    this.#addCell(start);
  }

  /** Adds a number as `doubleText` writes it. */
  addNumber(value: number): void {
    const hundredths = Math.round(value * 100);
    const isShort = hundredths / 100 === value && hundredths > 0 && hundredths < 1e9;
    if (!isShort) {
      this.addPlain(doubleText(value));
      return;
    }
    // A number of two digits after the point, such as an amount, is the double nearest to no shorter text.
    this.#reserve(12);
    const start = this.#at;
    const whole = Math.floor(hundredths / 100);
    const rest = hundredths - 100 * whole;
    this.#addDigits(whole);
    if (rest > 0) {
      this.#bytes[this.#at++] = POINT;
      this.#bytes[this.#at++] = ZERO + Math.floor(rest / 10);
      if (rest % 10 > 0) this.#bytes[this.#at++] = ZERO + (rest % 10);
    }
    this.#addCell(start);
  }

  #addDigits(whole: number): void {
    let size = 1;
    for (let left = whole; left >= 10; left = Math.floor(left / 10)) size++;
    this.#at += size;
    for (let at = this.#at, left = whole; size > 0; size--, left = Math.floor(left / 10))
      this.#bytes[--at] = ZERO + (left % 10);
  }

  /**
   * Adds a text, in quotes if it needs them or is empty, because a missing value is empty without them. What is not
   * UTF-8 is replaced by U+FFFD, as all who read such a file do.
   */
  addText(bytes: Uint8Array): void {
    const text = isUtf8(bytes) ? bytes : Buffer.from(Buffer.from(bytes).toString());
    if (this.#kind === 'jsonl') {
      this.#addString(Buffer.from(text.buffer, text.byteOffset, text.length));
      return;
    }
    this.#reserve(2 * text.length + 2);
    const start = this.#at;
    const isQuoted = needsQuotes(text, 0, text.length);
    if (isQuoted) this.#bytes[this.#at++] = QUOTE;
    for (const byte of text) {
      if (byte === QUOTE) this.#bytes[this.#at++] = QUOTE;
      this.#bytes[this.#at++] = byte;
    }
    if (isQuoted) this.#bytes[this.#at++] = QUOTE;
    this.#addCell(start);
  }

  /** Adds a string of JSON. */
  #addString(text: Buffer): void {
    const string = JSON.stringify(text.toString());
    const start = this.#at;
    this.#reserve(3 * string.length);
    this.#at += this.#bytes.write(string, start);
    this.#addCell(start);
  }

  addMissing(): void {
    this.#starts[this.#cells] = -1;
    this.#ends[this.#cells++] = -1;
  }

  #addCell(start: number): void {
    this.#starts[this.#cells] = start;
    this.#ends[this.#cells++] = this.#at;
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + more));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** Whether a text is its own cell: ASCII that needs no quotes. */
export function isOwnCell(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end) return false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte >= 0x80 || byte === QUOTE || byte === COMMA || byte === LF || byte === CR) return false;
  }
  return true;
}

/** Types whose texts are numbers or words of JSON, unless they are not finite. */
const JSON_TYPES: ReadonlySet<string> = new Set([
  'boolean',
  'signed',
  'unsigned',
  'double',
  'float',
  'half',
  'decimal',
]);

/**
 * Returns what adds the values of a column to cells.
 *
 * @throws what it returns throws RowcastError `unsupported_column`
 */
export function valueAdder(
  { name, type }: FileColumn,
  kind: TextKind,
): (value: Physical, into: CellWriter) => void {
  const text = parquetValueText(type);
  if (text === undefined) return (value, into) => into.addText(value as Uint8Array); // the physical type of texts
  if (type.is === 'double' && kind === 'csv') return (value, into) => into.addNumber(value as number); // its physical type
  // Bytes may be any characters, and a text of all other types has no delimiter.
  if (type.is === 'bytes') return (value, into) => into.addText(Buffer.from(text(value)));
  if (kind === 'csv') return (value, into) => into.addPlain(textOf(text, value, name));
  return (value, into) => {
    const own = textOf(text, value, name);
    if (JSON_TYPES.has(type.is) && !/^(NaN|-?Infinity)$/.test(own)) into.addPlain(own);
    else into.addText(Buffer.from(own));
  };
}

function textOf(text: (value: Physical) => string, value: Physical, column: string): string {
  try {
    return text(value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const what = `the column "${sanitize(column)}" cannot be read: ${error.message}`;
    throw new RowcastError('unsupported_column', what, {
      severity: 'stopped',
      hint: 'Leave the column out with --keep or --exclude-features, or convert it first.',
    });
  }
}

/** The text that is made of a file. */
export type TextKind = 'csv' | 'jsonl';

/** What a record has around its cells. */
export interface RecordParts {
  /** Before the cell of each column. */
  readonly opens: readonly Uint8Array[];
  /** In the place of a missing value. */
  readonly missing: Uint8Array;
  /** After the last cell. */
  readonly close: Uint8Array;
}

/** What records of a text have around the cells of these columns. */
export function recordParts(kind: TextKind, names: readonly string[]): RecordParts {
  const csv = kind === 'csv';
  return {
    opens: names.map((name, index) => {
      const member = csv ? '' : `${JSON.stringify(name)}:`;
      return Buffer.from((index > 0 ? ',' : csv ? '' : '{') + member);
    }),
    missing: Buffer.from(csv ? '' : 'null'),
    close: Buffer.from(csv ? '\n' : '}\n'),
  };
}

/**
 * Returns the values of a page as cells.
 *
 * @throws RangeError if one is not in its dictionary, or the page is cut off
 */
export function cellPage(page: TextPage): CellPage {
  const { rows } = page;
  switch (page.is) {
    case 'cells':
      return page;
    case 'coded': {
      const { bytes, bits, dictionary } = page;
      const codes = new Int32Array(rows);
      const { length } = dictionary.starts;
      if (bits > 0) readHybrid(bytes, 0, bytes.length, bits, codes, length);
      else if (rows > 0 && length === 0) throw new RangeError('a value is not in its dictionary');
      return { is: 'cells', rows, codes, ...dictionary };
    }
    case 'doubles': {
      const cells = new CellWriter(rows, 'csv');
      for (let row = 0; row < rows; row++) cells.addNumber(page.bytes.readDoubleLE(8 * row));
      return { is: 'cells', rows, codes: undefined, ...cells.cells };
    }
  }
}
