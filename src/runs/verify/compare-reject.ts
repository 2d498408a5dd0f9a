import type { RowcastError } from '../../base/errors.ts';
import { isSanitized } from '../../base/sanitize.ts';
import type { RejectRecords, RejectTexts } from '../../formats/comparison.ts';
import { type Fault, isFaultCode } from '../../formats/records/faults.ts';
import { load, mismatch, type RecordCursor } from './record-cursor.ts';

/** The fields that a rejects file has before a record's own bytes, whose numbers were read. */
export type RejectHead = Omit<RejectTexts, 'row' | 'line'> & { row: number; line: number };

/** A 1-based number, written as rowcast writes it. */
const isNumber = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text);
/** The form of every reject code that rowcast writes, its own or a service's. */
const isCode = (text: string): boolean => /^[A-Za-z0-9][\w.-]{0,50}$/.test(text);

/** The outcome of a row according to INPUT and OUTPUT; the fault if it is malformed. */
export type RowOutcome = 'scored' | 'unscored' | Fault;

/** A file of rejected rows, which is read in order and compared with the rows of INPUT. */
export class Rejected {
  readonly cursor: RecordCursor;
  /** The fields before the current record; undefined at the end, and before `load`. */
  head: RejectHead | undefined;
  readonly #records: RejectRecords;
  readonly #isEdited: boolean;
  /** Cached for each fault, since there may be millions of rejects. */
  readonly #causes = new WeakMap<Fault, Buffer>();

  /** @param isEdited whether rows were corrected in this file, so that others may have been written again */
  constructor(cursor: RecordCursor, records: RejectRecords, isEdited: boolean) {
    this.cursor = cursor;
    this.#records = records;
    this.#isEdited = isEdited;
  }

  /** Reads the first record, or that after the current one if that was passed. @throws RowcastError `difference` */
  *load(): Generator<RecordCursor, void> {
    yield* load(this.cursor);
    this.head = this.cursor.hasRecord ? this.#readHead() : undefined;
  }

  *next(): Generator<RecordCursor, void> {
    this.cursor.advance();
    yield* this.load();
  }

  #readHead(): RejectHead {
    const found = this.#records.head(this.cursor, this.#isEdited);
    if (found === undefined) throw this.#mismatch('not a record of a rejects file');
    const { row, line, code } = found;
    if (!isNumber(row) || !isNumber(line) || !isCode(code))
      throw this.#mismatch('reject_row, reject_line or reject_code is missing or invalid');
    return { ...found, row: Number(row), line: Number(line) };
  }

  /**
   * Compares the current row of INPUT with the current record.
   *
   * @throws RowcastError `difference`
   */
  compare(input: RecordCursor, outcome: RowOutcome): void {
    if (outcome === 'scored' && this.head?.row !== input.row) return;
    const wrong = this.#differenceOf(input, this.head, outcome);
    if (wrong !== undefined) throw this.#mismatch(wrong, input.row);
  }

  /**
   * Compares what stands before the current record, which may have been corrected in its place.
   *
   * @param fault of the row of INPUT, if it is malformed
   * @throws RowcastError `difference`
   */
  compareHead(input: RecordCursor, fault: Fault | undefined): void {
    const { head } = this;
    const isSame = head?.line === input.line && (fault === undefined) !== isFaultCode(head.code);
    if (!isSame)
      throw this.#mismatch(`the row that was repaired is not the one at ${input.file}:${input.line}`);
  }

  /** @throws RowcastError `difference` if there is a record left */
  checkEnd(): void {
    if (this.head !== undefined)
      throw this.#mismatch(`row ${this.head.row} is repeated or out of order in the rejects file`);
  }

  /** @param row of INPUT, if it is known */
  #mismatch(message: string, row?: number): RowcastError {
    const { file, line } = this.cursor;
    return mismatch(message, { file, line, ...(row !== undefined && { row }) });
  }

  #differenceOf(input: RecordCursor, head: RejectHead | undefined, outcome: RowOutcome): string | undefined {
    const where = `${input.file}:${input.line}`;
    const theRow = `row ${input.row}, at ${where},`;
    if (outcome === 'scored') return `${theRow} is in the rejects file, but it was scored`;
    if (head === undefined) return `${theRow} was not scored, but is not in the rejects file`;
    if (head.row !== input.row) return `${theRow} should be the next reject, but row ${head.row} is`;
    if (head.line !== input.line) return `reject_line is ${head.line}, but the row starts at ${where}`;
    if (this.#isEdited && this.#means(input, head, outcome)) return undefined;
    const wrongCause =
      outcome === 'unscored' ? this.#wrongCode(head, where) : this.#wrongCause(head, outcome, where);
    if (wrongCause !== undefined) return wrongCause;
    const { bytes, end } = this.cursor;
    const isSame = bytes.subarray(head.at, end).equals(this.#records.row(input));
    return isSame ? undefined : `the record differs from that at ${where}`;
  }

  #means(input: RecordCursor, { row, line, code, reason }: RejectHead, outcome: RowOutcome): boolean {
    if (outcome === 'unscored' && isFaultCode(code)) return false;
    const why = typeof outcome === 'object' ? outcome : { code, reason };
    return this.#records.means?.(this.cursor, { row, line, ...why }, input) === true;
  }

  /**
   * A row that was sent has a code and a reason of the service or of the request, which are written as a run writes
   * them.
   */
  #wrongCode({ code, reason, causeAt, at }: RejectHead, where: string): string | undefined {
    if (isFaultCode(code)) return `reject_code is ${code}, but the record at ${where} is not malformed`;
    const isWritten =
      isSanitized(reason) &&
      this.cursor.bytes.subarray(causeAt, at).equals(this.#records.cause({ code, reason }));
    return isWritten
      ? undefined
      : `reject_reason is not written as rowcast writes it, for the record at ${where}`;
  }

  /** For a malformed record, the code and reason are determined by the record. */
  #wrongCause({ code, causeAt, at }: RejectHead, fault: Fault, where: string): string | undefined {
    if (this.cursor.bytes.subarray(causeAt, at).equals(this.#causeOf(fault))) return undefined;
    return code === fault.code
      ? `reject_reason should be "${fault.reason}" for the record at ${where}`
      : `reject_code is ${code}, but should be ${fault.code} for the record at ${where}`;
  }

  #causeOf(fault: Fault): Buffer {
    const cause = this.#causes.get(fault) ?? this.#records.cause(fault);
    this.#causes.set(fault, cause);
    return cause;
  }
}
