import type { Batch } from '../formats/csv/batch.ts';
import type { Fault } from '../formats/csv/faults.ts';
import { malformedFinder } from '../formats/csv/malformed.ts';
import { RecordKind } from '../formats/csv/scan-record.ts';
import type { AppendedCheck } from './check-appended.ts';
import { RejectComparer, type RejectHead, type RowOutcome, readRejectHead } from './compare-reject.ts';
import { compareBlank, compareRow, describeUnexpected, hasContentOf } from './compare-row.ts';
import { mismatch } from './mismatch.ts';
import type { RecordCursor } from './record-cursor.ts';

/** A finished pair, perhaps with its rejects, each at its first record. */
export interface Pair {
  input: RecordCursor;
  output: RecordCursor;
  rejects: RecordCursor | undefined;
  /** Line ending of INPUT's header: each record of the rejects file has it. */
  headerEnding: Buffer;
  /** The input's columns. */
  names: readonly string[];
  appended: AppendedCheck;
}

/** What became of the rows of a pair that is sound: rows = scored + unscored + malformed. */
export interface Tally {
  rows: number;
  scored: number;
  /** Rows in OUTPUT with empty probabilities. */
  unscored: number;
  /** Rows that are not in OUTPUT, because no fields can be told. */
  malformed: number;
  blank: number;
}

/**
 * Compares INPUT with OUTPUT, and with the rejects, record by record. It reads nothing: it yields the cursor that
 * needs a batch, and goes on when that was given one, or was told its end.
 *
 * @throws RowcastError `difference`, the first one
 */
export function* compare(pair: Pair): Generator<RecordCursor, Tally> {
  const { input, output, rejects, headerEnding, names, appended } = pair;
  const tally: Tally = { rows: 0, scored: 0, unscored: 0, malformed: 0, blank: 0 };
  const findFault = faultFinder(input, names.length);
  const rejectComparer = rejects && new RejectComparer(rejects, headerEnding);
  /** Of the row before, blank lines aside. */
  let formerIsMalformed = false;
  /** The last byte of OUTPUT before the record at which it stands. */
  let lastByte = headerEnding.at(-1);
  let reject: RejectHead | undefined;
  if (rejects !== undefined) {
    yield* load(rejects);
    if (rejects.hasRecord) reject = readRejectHead(rejects);
  }

  for (; ; input.advance()) {
    if (!input.hasRecord) yield* load(input);
    if (!input.hasRecord) break;
    if (input.kind === RecordKind.blank) {
      if (!output.hasRecord) yield* load(output);
      compareBlank(input, output, lastByte);
      lastByte = output.lastByte;
      output.advance();
      tally.blank++;
      continue;
    }

    tally.rows++;
    const fault = findFault();
    let outcome: RowOutcome;
    if (fault !== undefined) {
      tally.malformed++;
      outcome = fault;
    } else {
      if (!output.hasRecord) yield* load(output);
      const compared = compareRow(input, output, appended);
      if (compared === 'other') return yield* reportOther(pair, formerIsMalformed, findFault);
      tally[compared]++;
      outcome = compared;
      lastByte = output.lastByte;
      output.advance();
    }
    formerIsMalformed = fault !== undefined;
    if (rejects === undefined) continue;
    rejectComparer?.compare(input, reject, outcome);
    if (outcome === 'scored') continue;
    rejects.advance();
    yield* load(rejects);
    reject = rejects.hasRecord ? readRejectHead(rejects) : undefined;
  }

  yield* load(output);
  if (output.hasRecord) throw describeUnexpected(input, output, names, formerIsMalformed);
  if (rejects !== undefined && reject !== undefined)
    throw mismatch(`row ${reject.row} is among the rejects again, or out of order`, {
      file: rejects.file,
      line: rejects.line,
    });
  return tally;
}

/** Asks for a batch where there is no record. */
function* load(cursor: RecordCursor): Generator<RecordCursor, void> {
  if (!cursor.hasRecord && !cursor.isEnded) yield cursor;
}

/** Rows after the one that is looked for in which that of OUTPUT is looked for. */
const LOOK_AHEAD = 1000;

/** Says what stands in OUTPUT where another row should: perhaps one that comes later. */
function* reportOther(
  { input, output, names }: Pair,
  formerIsMalformed: boolean,
  findFault: () => Fault | undefined,
): Generator<RecordCursor, never> {
  const { row, line, previous: former } = input;
  const told = describeUnexpected(input, output, names, formerIsMalformed);
  const isFormer = former !== undefined && hasContentOf(former, output);
  for (let ahead = 0; ahead < LOOK_AHEAD && output.hasRecord && !isFormer; ahead++) {
    input.advance();
    yield* load(input);
    if (!input.hasRecord) break;
    if (input.kind === RecordKind.blank || findFault() !== undefined || !hasContentOf(input, output))
      continue;
    throw mismatch(
      `row ${row}, at ${input.file}:${line}, should stand here, but row ${input.row} does: rows are missing or out of order`,
      told.location,
    );
  }
  throw told;
}

/** Finds the fault of the record at which a cursor stands; each batch is looked through once. */
function faultFinder(cursor: RecordCursor, width: number): () => Fault | undefined {
  const findMalformed = malformedFinder(width, cursor.dialect);
  let known: Batch | undefined;
  let faults: ReadonlyMap<number, Fault> = new Map();
  return () => {
    if (cursor.batch !== undefined && cursor.batch !== known) {
      known = cursor.batch;
      faults = findMalformed(known);
    }
    return faults.get(cursor.index);
  };
}
