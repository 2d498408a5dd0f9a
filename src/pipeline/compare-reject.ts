import { type Fault, isFaultCode } from '../csv/faults.ts';
import { fieldEnd } from '../csv/malformed.ts';
import type { Cursor } from './cursor.ts';
import { difference } from './difference.ts';
import { causeText } from './rejects.ts';

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
export function readRejectHead({ bytes, start, contentEnd, dialect, file, line }: Cursor): RejectHead {
  const ends: number[] = [];
  for (let column = 0, at = start; column < 4; column++) {
    const end = fieldEnd(bytes, at, contentEnd, dialect);
    if (end === contentEnd) throw difference('this is no record of a rejects file', { file, line });
    ends.push(end);
    at = end + 1;
  }
  const [rowEnd = start, lineEnd = start, codeEnd = start, reasonEnd = start] = ends;
  const row = bytes.toString('latin1', start, rowEnd);
  const itsLine = bytes.toString('latin1', rowEnd + 1, lineEnd);
  const code = bytes.toString('latin1', lineEnd + 1, codeEnd);
  if (!isNumber(row) || !isNumber(itsLine) || !isCode(code))
    throw difference('reject_row, reject_line or reject_code is missing or invalid', { file, line });
  return { row: Number(row), line: Number(itsLine), code, causeAt: lineEnd + 1, at: reasonEnd + 1 };
}

/** 1-based, and written as rowcast writes it. */
const isNumber = (text: string): boolean => /^[1-9]\d{0,15}$/.test(text);
/** Of rowcast or of a service: words are not written as codes. */
const isCode = (text: string): boolean => /^[A-Za-z0-9][\w.-]{0,50}$/.test(text);

/** What became of a row, by INPUT and OUTPUT; of a malformed one its fault. */
export type RowOutcome = 'scored' | 'unscored' | Fault;

/** Compares rows of INPUT with a rejects file. */
export class RejectComparer {
  readonly #rejects: Cursor;
  readonly #ending: Buffer;
  /** Written once for each fault: there may be millions of rejects. */
  readonly #causes = new WeakMap<Fault, Buffer>();

  /** @param ending the line ending that all records of the rejects file have, whatever the input's own is */
  constructor(rejects: Cursor, ending: Buffer) {
    this.#rejects = rejects;
    this.#ending = ending;
  }

  /**
   * Compares the row at which INPUT stands.
   *
   * @param head of the record at which the rejects file stands; undefined at its end
   * @throws RowcastError `difference`
   */
  compare(input: Cursor, head: RejectHead | undefined, outcome: RowOutcome): void {
    const { row } = input;
    if (outcome === 'scored' && head?.row !== row) return;
    const { file, line, bytes, end } = this.#rejects;
    const fail = (message: string): never => {
      throw difference(message, { file, line, row });
    };
    const where = `${input.file}:${input.line}`;
    if (outcome === 'scored') return fail(`row ${row}, at ${where}, is among the rejects, but it is scored`);
    if (head === undefined) return fail(`row ${row}, at ${where}, is not scored, and not among the rejects`);
    if (head.row !== row)
      fail(`row ${row}, at ${where}, should be the next of the rejects, but row ${head.row} is`);
    if (head.line !== input.line) fail(`reject_line is ${head.line}, but the row begins at ${where}`);
    const wrong = outcome === 'unscored' ? wrongCode(head) : this.#wrongCause(head, outcome);
    if (wrong !== undefined) fail(`${wrong} ${where}`);
    const content = input.bytes.subarray(input.start, input.contentEnd);
    if (!bytes.subarray(head.at, end).equals(Buffer.concat([content, this.#ending])))
      fail(`the record is not as it is at ${where}`);
  }

  /** Code and reason of a malformed record are known, because its bytes determine them. */
  #wrongCause({ code, causeAt, at }: RejectHead, fault: Fault): string | undefined {
    if (this.#rejects.bytes.subarray(causeAt, at).equals(this.#causeOf(fault))) return undefined;
    return code === fault.code
      ? `reject_reason is not "${fault.reason}", which is what is wrong with the record at`
      : `reject_code is ${code}, not ${fault.code}, which is what is wrong with the record at`;
  }

  #causeOf(fault: Fault): Buffer {
    const cause = this.#causes.get(fault) ?? causeText(fault, this.#rejects.dialect);
    this.#causes.set(fault, cause);
    return cause;
  }
}

/** A row that was sent has a code of the service; whether the service gave this reason, nothing else tells. */
const wrongCode = ({ code }: RejectHead): string | undefined =>
  isFaultCode(code) ? `reject_code is ${code}, but nothing is wrong with the record at` : undefined;
