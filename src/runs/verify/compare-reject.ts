import { isSanitized } from '../../base/sanitize.ts';
import type { RejectRecords } from '../../formats/comparison.ts';
import { type Fault, isFaultCode } from '../../formats/records/faults.ts';
import { mismatch } from './mismatch.ts';
import type { RecordCursor } from './record-cursor.ts';

/** The fields that a rejects file has before a record's own bytes. */
export interface RejectHead {
  row: number;
  line: number;
  code: string;
  reason: string;
  /** Offset of `reject_code`. */
  causeAt: number;
  /** Offset of the record's own bytes. */
  at: number;
}

/**
 * Reads the fields that a rejects file has before a record's own bytes.
 *
 * @throws RowcastError `difference`
 */
export function readRejectHead(cursor: RecordCursor, records: RejectRecords, isEdited: boolean): RejectHead {
  const { file, line } = cursor;
  const found = records.head(cursor, isEdited);
  if (found === undefined) throw mismatch('not a record of a rejects file', { file, line });
  const { row, line: itsLine, code, reason, causeAt, at } = found;
  if (!isNumber(row) || !isNumber(itsLine) || !isCode(code))
    throw mismatch('reject_row, reject_line or reject_code is missing or invalid', { file, line });
  return { row: Number(row), line: Number(itsLine), code, reason, causeAt, at };
}

/** A 1-based number, written as rowcast writes it. */
const isNumber = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text);
/** The form of every reject code that rowcast writes, its own or a service's. */
const isCode = (text: string): boolean => /^[A-Za-z0-9][\w.-]{0,50}$/.test(text);

/** The outcome of a row according to INPUT and OUTPUT; the fault if it is malformed. */
export type RowOutcome = 'scored' | 'unscored' | Fault;

/** Compares rows of INPUT with a rejects file. */
export class RejectComparer {
  readonly #rejects: RecordCursor;
  readonly #records: RejectRecords;
  readonly #isEdited: boolean;
  /** Cached for each fault, since there may be millions of rejects. */
  readonly #causes = new WeakMap<Fault, Buffer>();

  /** @param isEdited whether rows were corrected in the rejects file, so that others may have been written again */
  constructor(rejects: RecordCursor, records: RejectRecords, isEdited: boolean) {
    this.#rejects = rejects;
    this.#records = records;
    this.#isEdited = isEdited;
  }

  /**
   * Compares the current row of INPUT with the current record of the rejects file.
   *
   * @param head of the current record of the rejects file; undefined at its end
   * @throws RowcastError `difference`
   */
  compare(input: RecordCursor, head: RejectHead | undefined, outcome: RowOutcome): void {
    const { row } = input;
    if (outcome === 'scored' && head?.row !== row) return;
    const wrong = this.#differenceOf(input, head, outcome);
    if (wrong === undefined) return;
    const { file, line } = this.#rejects;
    throw mismatch(wrong, { file, line, row });
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
    const { bytes, end } = this.#rejects;
    const isSame = bytes.subarray(head.at, end).equals(this.#records.row(input));
    return isSame ? undefined : `the record differs from that at ${where}`;
  }

  #means(input: RecordCursor, { row, line, code, reason }: RejectHead, outcome: RowOutcome): boolean {
    if (outcome === 'unscored' && isFaultCode(code)) return false;
    const why = typeof outcome === 'object' ? outcome : { code, reason };
    return this.#records.means?.(this.#rejects, { row, line, ...why }, input) === true;
  }

  /**
   * A row that was sent has a code and a reason of the service or of the request, which are written as a run writes
   * them.
   */
  #wrongCode({ code, reason, causeAt, at }: RejectHead, where: string): string | undefined {
    if (isFaultCode(code)) return `reject_code is ${code}, but the record at ${where} is not malformed`;
    const isWritten =
      isSanitized(reason) &&
      this.#rejects.bytes.subarray(causeAt, at).equals(this.#records.cause({ code, reason }));
    return isWritten
      ? undefined
      : `reject_reason is not written as rowcast writes it, for the record at ${where}`;
  }

  /** For a malformed record, the code and reason are determined by the record. */
  #wrongCause({ code, causeAt, at }: RejectHead, fault: Fault, where: string): string | undefined {
    if (this.#rejects.bytes.subarray(causeAt, at).equals(this.#causeOf(fault))) return undefined;
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
