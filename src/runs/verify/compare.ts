import type { Comparison, RejectRecords } from '../../formats/comparison.ts';
import { RecordKind } from '../../formats/records/batch.ts';
import type { Fault } from '../../formats/records/faults.ts';
import type { AppendedCheck } from './check-appended.ts';
import { Rejected, type RowOutcome } from './compare-reject.ts';
import {
  compareBlank,
  compareRepaired,
  compareRow,
  describeUnexpected,
  hasContentOf,
} from './compare-row.ts';
import { faultFinder, load, mismatch, type RecordCursor } from './record-cursor.ts';
import type { Sample } from './sample.ts';

/** A finished pair, optionally with its rejects, each at its first record. */
export interface Pair {
  input: RecordCursor;
  output: RecordCursor;
  rejects: RecordCursor | undefined;
  /** The rows that were repaired, as they were rejected. */
  repaired?: RecordCursor | undefined;
  /** Reads the records of rejects; by default as those of a text. */
  rejectRecords?: RejectRecords;
  comparison: Comparison;
  appended: AppendedCheck;
  /** Counts so far; by default of its own. */
  tally?: VerifiedRows | undefined;
  /** Chooses rows that are predicted again. */
  sample?: Sample | undefined;
}

/** Row counts of a verified pair: rows = scored + unscored + malformed. */
export interface VerifiedRows {
  rows: number;
  scored: number;
  /** Rows of these that were repaired. */
  repaired: number;
  /** Rows in OUTPUT without a prediction: the appended fields are empty. */
  unscored: number;
  /** Malformed rows, which are not in OUTPUT. */
  malformed: number;
  blank: number;
}

export const newVerifiedRows = (): VerifiedRows => ({
  rows: 0,
  scored: 0,
  repaired: 0,
  unscored: 0,
  malformed: 0,
  blank: 0,
});

/**
 * Compares INPUT with OUTPUT and the rejects, record by record. It does no I/O: it yields the cursor that needs a
 * batch, and continues after `setBatch` was called on it.
 *
 * @throws RowcastError `difference`, the first one found
 */
export function* compare(pair: Pair): Generator<RecordCursor, VerifiedRows> {
  const { input, output, rejects, comparison, appended, tally = newVerifiedRows(), sample } = pair;
  const findFault = faultFinder(input);
  const { rejectRecords = input.layout.rejectRecords } = pair;
  const rejected = rejects && new Rejected(rejects, rejectRecords, pair.repaired !== undefined);
  const repaired = pair.repaired && new Rejected(pair.repaired, rejectRecords, true);
  const blankLines = repaired && new BlankLines(input, output);
  /** Whether the row before was malformed, not counting blank lines. */
  let previousIsMalformed = false;
  /** The last byte of OUTPUT before its current record. */
  let lastByte = output.layout.preamble.at(-1);
  if (rejected !== undefined) yield* rejected.load();
  if (repaired !== undefined) yield* repaired.load();

  for (; ; input.advance()) {
    if (!input.hasRecord) yield* load(input);
    if (!input.hasRecord) break;
    if (input.kind === RecordKind.blank) {
      tally.blank++;
      if (appended.isAlone || comparison.preserves === 'values') continue;
      if (!output.hasRecord) yield* load(output);
      if (blankLines?.isElsewhere()) continue;
      compareBlank(input, output, lastByte);
      lastByte = output.lastByte;
      output.advance();
      continue;
    }

    tally.rows++;
    const fault = findFault();
    let outcome: RowOutcome;
    if (repaired?.head?.row === input.row) {
      repaired.compareHead(input, fault);
      yield* (fault === undefined ? blankLines?.settle() : blankLines?.pass()) ?? [];
      if (!output.hasRecord) yield* load(output);
      compareRepaired(input, output, comparison, appended);
      yield* repaired.next();
      tally.scored++;
      tally.repaired++;
      outcome = 'scored';
      lastByte = output.lastByte;
      output.advance();
    } else if (fault !== undefined) {
      tally.malformed++;
      outcome = fault;
    } else {
      yield* blankLines?.settle() ?? [];
      if (!output.hasRecord) yield* load(output);
      const compared = compareRow(input, output, comparison, appended);
      if (compared === 'other') return yield* reportOther(pair, previousIsMalformed, findFault);
      tally[compared]++;
      if (compared === 'scored') sample?.offer(input, output);
      outcome = compared;
      lastByte = output.lastByte;
      output.advance();
    }
    previousIsMalformed = fault !== undefined && outcome !== 'scored';
    rejected?.compare(input, outcome);
    if (outcome !== 'scored') yield* rejected?.next() ?? [];
  }

  yield* blankLines?.settle() ?? [];
  yield* load(output);
  if (output.hasRecord) throw describeUnexpected(input, output, comparison, previousIsMalformed);
  rejected?.checkEnd();
  repaired?.checkEnd();
  return tally;
}

/** How many further rows of INPUT are searched for the unexpected record of OUTPUT. */
const LOOK_AHEAD = 1000;

/** Reports an unexpected record of OUTPUT, which may be a later row. */
function* reportOther(
  { input, output, comparison }: Pair,
  previousIsMalformed: boolean,
  findFault: () => Fault | undefined,
): Generator<RecordCursor, never> {
  const { row, line, previous } = input;
  const unexpected = describeUnexpected(input, output, comparison, previousIsMalformed);
  const isFormer = previous !== undefined && hasContentOf(previous, output, comparison);
  for (let ahead = 0; ahead < LOOK_AHEAD && output.hasRecord && !isFormer; ahead++) {
    input.advance();
    yield* load(input);
    if (!input.hasRecord) break;
    if (input.kind === RecordKind.blank || findFault() !== undefined) continue;
    if (!hasContentOf(input, output, comparison)) continue;
    throw mismatch(
      `row ${row}, at ${input.file}:${line}, should be here, but row ${input.row} is: rows are missing or out of order`,
      unexpected.location,
      unexpected.hint,
    );
  }
  throw unexpected;
}

/**
 * Counts the blank lines around a row that was malformed and then repaired. They may be before or after it: not every
 * output tells on which side of the row they were.
 */
class BlankLines {
  readonly #input: RecordCursor;
  readonly #output: RecordCursor;
  /** Blank lines of INPUT that OUTPUT did not have yet; negative if OUTPUT has had more. */
  #missing = 0;
  /** Line of INPUT's last blank line that OUTPUT did not have at its place. */
  #line = 0;

  constructor(input: RecordCursor, output: RecordCursor) {
    this.#input = input;
    this.#output = output;
  }

  /** Whether the current blank line of INPUT is not at the same place in OUTPUT; it is counted then. */
  isElsewhere(): boolean {
    const isHere = this.#missing >= 0 && this.#isBlank;
    if (isHere) return false;
    this.#missing++;
    this.#line = this.#input.line;
    return true;
  }

  /** Passes those of OUTPUT before a row that was malformed. */
  *pass(): Generator<RecordCursor, void> {
    yield* load(this.#output);
    for (; this.#isBlank; yield* load(this.#output)) this.#take();
  }

  /** Passes those of OUTPUT that are still missing before another row. @throws RowcastError `difference` */
  *settle(): Generator<RecordCursor, void> {
    if (this.#missing === 0) return;
    yield* load(this.#output);
    for (; this.#missing > 0 && this.#isBlank; yield* load(this.#output)) this.#take();
    const { file, line } = this.#output;
    if (this.#missing > 0)
      throw mismatch(`the blank line at ${this.#input.file}:${this.#line} is missing`, { file, line });
    if (this.#missing < 0)
      throw mismatch(`there are more blank lines than before ${this.#input.file}:${this.#input.line}`, {
        file,
        line,
      });
  }

  get #isBlank(): boolean {
    return this.#output.hasRecord && this.#output.kind === RecordKind.blank;
  }

  #take(): void {
    this.#missing--;
    this.#output.advance();
  }
}
