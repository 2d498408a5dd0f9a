import type { Dialect } from '../../../base/parse-records.ts';
import { contentEnd } from '../../records/line-endings.ts';
import { RecordKind } from '../../records/record-kind.ts';
import { isRejectsFile, rejectColumns } from '../../records/reject-columns.ts';
import { fieldEnd } from '../fields/count-fields.ts';
import type { Header } from '../header.ts';

const SPACE = 0x20;

/**
 * Finds records without any value, such as `;;;`, which spreadsheets write for the empty rows of a sheet, or with spaces alone. All other records are
 * ruled out by their first byte, or those of a rejects file by their last one.
 */
export class EmptyRecord {
  readonly #dialect: Dialect;
  /** How a record without a quoted field is read: quotes are data in it. */
  readonly #bare: Dialect;
  readonly #delimiter: number;
  readonly #quote: number | undefined;
  /** In a rejects file, the number of fields before those of the input. */
  readonly #before: number;

  private constructor(dialect: Dialect, before: number) {
    this.#dialect = dialect;
    this.#bare = { ...dialect, quote: undefined };
    this.#delimiter = dialect.delimiter.charCodeAt(0);
    this.#quote = dialect.quote?.charCodeAt(0);
    this.#before = before;
  }

  /** @returns undefined for a single column, in which an empty line is a missing value */
  static of({ names, dialect }: Pick<Header, 'names' | 'dialect'>): EmptyRecord | undefined {
    const before = isRejectsFile(names) ? rejectColumns.length : 0;
    return names.length - before > 1 ? new EmptyRecord(dialect, before) : undefined;
  }

  /**
   * Whether all fields of the record `bytes[start, end)` are empty, quoted or not, or spaces.
   *
   * @param kind of the record, which is neither blank nor malformed
   */
  is(bytes: Buffer, start: number, end: number, kind: RecordKind): boolean {
    if (this.#before === 0 && !this.#mayBeEmpty(bytes[start])) return false;
    const content = contentEnd(bytes, start, end, this.#dialect);
    if (!this.#mayBeEmpty(bytes[content - 1])) return false;
    const quote = kind === RecordKind.quoted ? this.#quote : undefined;
    let at = start;
    for (let field = 0; field < this.#before; field++)
      at = 1 + fieldEnd(bytes, at, content, quote === undefined ? this.#bare : this.#dialect);
    if (at > content) return false;
    for (; at < content; at++) {
      if (bytes[at] === quote && bytes[at + 1] === quote) at += 2;
      while (bytes[at] === SPACE && at < content) at++;
      if (at < content && bytes[at] !== this.#delimiter) return false;
    }
    return true;
  }

  #mayBeEmpty(byte: number | undefined): boolean {
    return byte === this.#delimiter || byte === SPACE || byte === this.#quote;
  }
}
