import { RowcastError } from '../../base/errors.ts';
import { fieldEnd, malformedFinder } from '../../formats/csv/fields/malformed.ts';
import type { Batch } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import { RecordKind } from '../../formats/records/record-kind.ts';
import { rejectColumns } from '../../formats/records/reject-columns.ts';
import type { AppendedCheck } from '../verify/check-appended.ts';
import { load, type RecordCursor } from '../verify/record-cursor.ts';

/** The scored rows of a rejects file, in the order of `reject_row`. */
export class Corrections {
  /** `reject_row` of the current record; undefined at the end, and before `load`. */
  row: number | undefined;
  /** What replaces the row; undefined if it was rejected again. */
  scored: Buffer | undefined;
  readonly #cursor: RecordCursor;
  /** Number of the output's columns that are the row's own. */
  readonly #kept: number;
  readonly #appended: AppendedCheck;
  readonly #findMalformed: (batch: Batch) => ReadonlyMap<number, Fault>;
  #batch: Batch | undefined;
  #faults: ReadonlyMap<number, Fault> = new Map();

  /** @param width number of columns of the file */
  constructor(cursor: RecordCursor, width: number, kept: number, appended: AppendedCheck) {
    this.#cursor = cursor;
    this.#kept = kept;
    this.#appended = appended;
    this.#findMalformed = malformedFinder(width, cursor.dialect);
  }

  /** Reads the current record, or the next one if that was passed. @throws RowcastError `bad_corrections` */
  *load(): Generator<RecordCursor, void> {
    const cursor = this.#cursor;
    for (;;) {
      yield* load(cursor);
      if (!cursor.hasRecord || cursor.kind !== RecordKind.blank) break;
      cursor.advance();
    }
    const former = this.row;
    this.row = undefined;
    this.scored = undefined;
    if (!cursor.hasRecord) return;
    this.#checkRecord();
    const { bytes, start, contentEnd } = cursor;
    const text = bytes.toString('latin1', start, this.#fieldEnd(start)).replace(/^"(.*)"$/, '$1');
    if (!/^[1-9]\d{0,15}$/.test(text)) throw this.#bad('reject_row is not the number of a row');
    this.row = Number(text);
    if (former !== undefined && this.row <= former)
      throw this.#bad(`row ${this.row} comes after row ${former}`, 'Sort the rows by reject_row, each once.');
    let at = start;
    for (let column = 0; column < rejectColumns.length; column++) at = this.#fieldEnd(at) + 1;
    const own = at;
    let end = own - 1;
    for (let column = 0; column < this.#kept; column++) end = this.#fieldEnd(end + 1);
    const outcome = this.#appended.check(bytes, end, contentEnd);
    if (typeof outcome === 'object') throw this.#bad(outcome.wrong);
    if (outcome === 'scored') this.scored = bytes.subarray(own, contentEnd);
  }

  *next(): Generator<RecordCursor, void> {
    this.#cursor.advance();
    yield* this.load();
  }

  /**
   * A row that was repaired before may be given again, if it is the same.
   *
   * @throws RowcastError `bad_corrections`
   */
  checkSameType({ bytes, start, contentEnd }: RecordCursor): void {
    if (this.scored?.equals(bytes.subarray(start, contentEnd)) !== false) return;
    throw this.#bad(`row ${this.row} was repaired before, with other values`);
  }

  /** The error for a row that is not among the rejected ones. */
  notRejected(): RowcastError {
    return this.#bad(
      `row ${this.row} is not in the rejects file of the output`,
      'Give the scored rejects of this output.',
    );
  }

  #fieldEnd(start: number): number {
    const { bytes, contentEnd, dialect } = this.#cursor;
    return fieldEnd(bytes, start, contentEnd, dialect);
  }

  #checkRecord(): void {
    const { batch, index } = this.#cursor;
    if (batch !== undefined && batch !== this.#batch) {
      this.#batch = batch;
      this.#faults = this.#findMalformed(batch);
    }
    const fault = this.#faults.get(index);
    if (fault !== undefined) throw this.#bad(fault.reason);
  }

  #bad(message: string, hint = 'Score the corrected rejects file again.'): RowcastError {
    const { file, line } = this.#cursor;
    return new RowcastError('bad_corrections', message, { location: { file, line }, hint });
  }
}
