import { type Fault, isFaultCode } from '../formats/csv/faults.ts';
import { fieldEnd } from '../formats/csv/malformed.ts';
import { causeText } from '../formats/csv/reject-records.ts';
import { mismatch } from './mismatch.ts';
import type { RecordCursor } from './record-cursor.ts';

/** What a rejects file says before a record's own bytes. */
export interface RejectHead {
  row: number;
  line: number;
  code: string;
  /** Offset at which `reject_code` begins. */
  causeAt: number;
  /** Offset at which the record's own bytes begin. */
  at: number;
}

/**
 * Reads what a rejects file says before a record's own bytes.
 *
 * @throws RowcastError `difference`
 */
export function readRejectHead({ bytes, start, contentEnd, dialect, file, line }: RecordCursor): RejectHead {
  const ends: number[] = [];
  for (let column = 0, at = start; column < 4; column++) {
    const end = fieldEnd(bytes, at, contentEnd, dialect);
    if (end === contentEnd) throw mismatch('this is no record of a rejects file', { file, line });
    ends.push(end);
    at = end + 1;
  }
  const [rowEnd = start, lineEnd = start, codeEnd = start, reasonEnd = start] = ends;
  const row = bytes.toString('latin1', start, rowEnd);
  const itsLine = bytes.toString('latin1', rowEnd + 1, lineEnd);
  const code = bytes.toString('latin1', lineEnd + 1, codeEnd);
  if (!isNumber(row) || !isNumber(itsLine) || !isCode(code))
    throw mismatch('reject_row, reject_line or reject_code is missing or invalid', { file, line });
  return { row: Number(row), line: Number(itsLine), code, causeAt: lineEnd + 1, at: reasonEnd + 1 };
}

/** 1-based, and written as rowcast writes it. */
const isNumber = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text);
/** The form of every code that rowcast writes, its own or a service's. */
const isCode = (text: string): boolean => /^[A-Za-z0-9][\w.-]{0,50}$/.test(text);

/** What became of a row, by INPUT and OUTPUT; of a malformed one its fault. */
export type RowOutcome = 'scored' | 'unscored' | Fault;

/** Compares rows of INPUT with a rejects file. */
export class RejectComparer {
  readonly #rejects: RecordCursor;
  readonly #ending: Buffer;
  /** Written once for each fault: there may be millions of rejects. */
  readonly #causes = new WeakMap<Fault, Buffer>();

  /** @param ending the line ending of all records of the rejects file, whatever those of INPUT are */
  constructor(rejects: RecordCursor, ending: Buffer) {
    this.#rejects = rejects;
    this.#ending = ending;
  }

  /**
   * Compares the row at which INPUT stands.
   *
   * @param head of the record at which the rejects file stands; undefined at its end
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
    if (outcome === 'scored') return `${theRow} is among the rejects, but it is scored`;
    if (head === undefined) return `${theRow} is not scored, and not among the rejects`;
    if (head.row !== input.row) return `${theRow} should be the next of the rejects, but row ${head.row} is`;
    if (head.line !== input.line) return `reject_line is ${head.line}, but the row begins at ${where}`;
    const wrongCause =
      outcome === 'unscored' ? wrongCode(head, where) : this.#wrongCause(head, outcome, where);
    if (wrongCause !== undefined) return wrongCause;
    const { bytes, end } = this.#rejects;
    const content = input.bytes.subarray(input.start, input.contentEnd);
    const isSame = bytes.subarray(head.at, end).equals(Buffer.concat([content, this.#ending]));
    return isSame ? undefined : `the record is not as it is at ${where}`;
  }

  /** A malformed record determines its code and reason. */
  #wrongCause({ code, causeAt, at }: RejectHead, fault: Fault, where: string): string | undefined {
    if (this.#rejects.bytes.subarray(causeAt, at).equals(this.#causeOf(fault))) return undefined;
    return code === fault.code
      ? `reject_reason is not "${fault.reason}", as of the record at ${where}`
      : `reject_code is ${code}, but the record at ${where} has ${fault.code}`;
  }

  #causeOf(fault: Fault): Buffer {
    const cause = this.#causes.get(fault) ?? causeText(fault, this.#rejects.dialect);
    this.#causes.set(fault, cause);
    return cause;
  }
}

/** A row that was sent has a code of the service's or of the call's; its reason cannot be derived. */
const wrongCode = ({ code }: RejectHead, where: string): string | undefined =>
  isFaultCode(code) ? `reject_code is ${code}, but the record at ${where} is not malformed` : undefined;
