import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import { isBeyond, type RejectLimit } from '../../base/options/values/reject-limit.ts';
import type { Fault } from '../../formats/records/faults.ts';

/** Counts the malformed rows of training data, which are left out up to a limit. */
export class MalformedRows {
  readonly #file: string;
  readonly #limit: RejectLimit | undefined;
  readonly #byCode = new Map<string, number>();
  #rejected = 0;
  /** The last one, for messages, and the rows up to it. */
  #line = 0;
  #read = 0;

  /** @param limit without it, the first malformed row is an error */
  constructor(file: string, limit: RejectLimit | undefined) {
    this.#file = file;
    this.#limit = limit;
  }

  /** @throws RowcastError with the fault's code, or `too_many_rejects` */
  add(fault: Fault, { line, row }: { line: number; row: number }): void {
    if (this.#limit === undefined)
      throw new RowcastError(fault.code, fault.reason, {
        location: { file: this.#file, line, row },
        hint: `${fault.hint === undefined ? '' : `${sentence(fault.hint)} `}Correct or remove the row, or leave out a few such rows with --max-rejects.`,
      });
    this.#rejected++;
    this.#byCode.set(fault.code, (this.#byCode.get(fault.code) ?? 0) + 1);
    this.#line = line;
    this.#read = row;
    this.#check(this.#limit, false);
  }

  /**
   * @param wellFormed the number of all other rows
   * @throws RowcastError `too_many_rejects`
   */
  end(wellFormed: number): void {
    this.#read = wellFormed + this.#rejected;
    if (this.#limit !== undefined) this.#check(this.#limit, true);
  }

  notes(): string[] {
    if (this.#rejected === 0) return [];
    const rows = this.#rejected === 1 ? 'row' : 'rows';
    return [`Left out ${this.#rejected.toLocaleString('en-US')} malformed ${rows}: ${this.#codes()}.`];
  }

  #check(limit: RejectLimit, isEnd: boolean): void {
    if (!isBeyond(limit, { rejected: this.#rejected, read: this.#read }, isEnd)) return;
    const counts = `${counted(this.#rejected)} of ${countOf(this.#read, 'row')}`;
    throw new RowcastError('too_many_rejects', `${counts} are malformed: ${this.#codes()}`, {
      location: { file: this.#file, line: this.#line },
      hint: 'Correct or remove these rows, or allow more of them with --max-rejects.',
    });
  }

  #codes(): string {
    return [...this.#byCode].map(([code, rows]) => `${rows} × ${code}`).join(', ');
  }
}

const sentence = (clause: string): string => `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
