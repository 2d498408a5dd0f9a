import type { RejectRecords } from '../../formats/comparison.ts';
import { type Fault, isFaultCode } from '../../formats/records/faults.ts';
import { RejectComparer, type RejectHead, type RowOutcome, readRejectHead } from './compare-reject.ts';
import { mismatch } from './mismatch.ts';
import { load, type RecordCursor } from './record-cursor.ts';

/** A file of rejected rows, read in order. */
export class Rejected {
  readonly cursor: RecordCursor;
  /** The fields before the current record; undefined at the end, and before `load`. */
  head: RejectHead | undefined;
  readonly #records: RejectRecords;
  readonly #isEdited: boolean;
  readonly #comparer: RejectComparer;

  /** @param isEdited whether rows were corrected in this file */
  constructor(cursor: RecordCursor, records: RejectRecords, isEdited: boolean) {
    this.cursor = cursor;
    this.#records = records;
    this.#isEdited = isEdited;
    this.#comparer = new RejectComparer(cursor, records, isEdited);
  }

  /** Reads the first record, or that after the current one if that was passed. @throws RowcastError `difference` */
  *load(): Generator<RecordCursor, void> {
    yield* load(this.cursor);
    this.head = this.cursor.hasRecord
      ? readRejectHead(this.cursor, this.#records, this.#isEdited)
      : undefined;
  }

  *next(): Generator<RecordCursor, void> {
    this.cursor.advance();
    yield* this.load();
  }

  /** Compares a row of INPUT with the current record. @throws RowcastError `difference` */
  compare(input: RecordCursor, outcome: RowOutcome): void {
    this.#comparer.compare(input, this.head, outcome);
  }

  /**
   * Compares what stands before the current record, which may have been corrected in its place.
   *
   * @param fault of the row of INPUT, if it is malformed
   * @throws RowcastError `difference`
   */
  compareHead(input: RecordCursor, fault: Fault | undefined): void {
    const { head, cursor } = this;
    const isSame = head?.line === input.line && (fault === undefined) !== isFaultCode(head.code);
    if (isSame) return;
    const { file, line } = cursor;
    throw mismatch(`the row that was repaired is not the one at ${input.file}:${input.line}`, { file, line });
  }

  /** @throws RowcastError `difference` if there is a record left */
  checkEnd(): void {
    const { head, cursor } = this;
    if (head === undefined) return;
    const { file, line } = cursor;
    throw mismatch(`row ${head.row} is repeated or out of order in the rejects file`, { file, line });
  }
}
