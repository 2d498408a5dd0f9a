import type { Batch } from '../csv/batch.ts';
import { findMalformed } from '../csv/malformed.ts';
import { RecordKind } from '../csv/scan.ts';
import type { AppendedCheck } from './compare-appended.ts';
import { compareReject, type RejectHead, readRejectHead } from './compare-reject.ts';
import { compareBlank, compareRow, hasContentOf, tellUnexpected } from './compare-row.ts';
import type { Cursor } from './cursor.ts';
import { difference } from './difference.ts';

/** A finished pair, perhaps with its rejects, each at its first record. */
export interface Pair {
  input: Cursor;
  output: Cursor;
  rejects: Cursor | undefined;
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

type Outcome = 'scored' | 'unscored' | 'malformed';

/**
 * Compares INPUT with OUTPUT, and with the rejects, record by record. It reads nothing: it yields the cursor that
 * needs a batch, and goes on when that was given one, or was told its end.
 *
 * @throws RowcastError `difference`, the first one
 */
export function* compare(pair: Pair): Generator<Cursor, Tally> {
  const { input, output, rejects, names, appended } = pair;
  const tally: Tally = { rows: 0, scored: 0, unscored: 0, malformed: 0, blank: 0 };
  const isMalformed = malformedOf(input, names.length);
  let former: Outcome | undefined;
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
      compareBlank(input, output);
      output.advance();
      tally.blank++;
      continue;
    }

    tally.rows++;
    let outcome: Outcome = 'malformed';
    if (!isMalformed()) {
      if (!output.hasRecord) yield* load(output);
      const compared = compareRow(input, output, appended);
      if (compared === 'other') return yield* tellOther(pair, former === 'malformed', isMalformed);
      output.advance();
      outcome = compared;
    }
    former = outcome;
    tally[outcome]++;
    if (rejects === undefined) continue;
    compareReject(input, rejects, reject, outcome !== 'scored');
    if (outcome === 'scored') continue;
    rejects.advance();
    yield* load(rejects);
    reject = rejects.hasRecord ? readRejectHead(rejects) : undefined;
  }

  yield* load(output);
  if (output.hasRecord) throw tellUnexpected(input, output, names, former === 'malformed');
  if (rejects !== undefined && reject !== undefined)
    throw difference(`row ${reject.row} is among the rejects again, or out of order`, {
      file: rejects.file,
      line: rejects.line,
    });
  return tally;
}

/** Asks for a batch where there is no record. */
function* load(cursor: Cursor): Generator<Cursor, void> {
  if (!cursor.hasRecord && !cursor.isEnded) yield cursor;
}

/** Rows after the one that is looked for in which that of OUTPUT is looked for. */
const LOOK_AHEAD = 1000;

/** Says what stands in OUTPUT where another row should: perhaps one that comes later. */
function* tellOther(
  { input, output, names }: Pair,
  formerIsMalformed: boolean,
  isMalformed: () => boolean,
): Generator<Cursor, never> {
  const { row, line, former } = input;
  const told = tellUnexpected(input, output, names, formerIsMalformed);
  const isFormer = former !== undefined && hasContentOf(former, output);
  for (let ahead = 0; ahead < LOOK_AHEAD && output.hasRecord && !isFormer; ahead++) {
    input.advance();
    yield* load(input);
    if (!input.hasRecord) break;
    if (input.kind === RecordKind.blank || isMalformed() || !hasContentOf(input, output)) continue;
    throw difference(
      `row ${row}, at ${input.file}:${line}, should stand here, but row ${input.row} does: rows are missing or out of order`,
      told.place,
    );
  }
  throw told;
}

/** Whether the record at which a cursor stands is malformed; each batch is looked through once. */
function malformedOf(cursor: Cursor, width: number): () => boolean {
  let known: Batch | undefined;
  let malformed = new Set<number>();
  return () => {
    if (cursor.batch !== undefined && cursor.batch !== known) {
      known = cursor.batch;
      malformed = findMalformed(known, width, cursor.dialect);
    }
    return malformed.has(cursor.index);
  };
}
