import { RowcastError } from '../../base/errors.ts';
import type { Comparison, RejectRecords } from '../../formats/comparison.ts';
import type { Layout, RejectsFile } from '../../formats/format.ts';
import { RecordKind } from '../../formats/records/batch.ts';
import { isNoRow } from '../../formats/records/faults.ts';
import type { AppendedCheck } from '../verify/check-appended.ts';
import { appendedCheckOf, compareHeaders, type OutputShape } from '../verify/compare-header.ts';
import { faultFinder, load, mismatch, type RecordCursor } from '../verify/record-cursor.ts';

/** The scored rows of a rejects file, in the order of `reject_row`. */
export type Corrections = ReturnType<typeof correctionsOf>;

export function correctionsOf(
  cursor: RecordCursor,
  records: RejectRecords,
  { comparison, appended }: CorrectionChecks,
) {
  const findFault = faultFinder(cursor);
  const bad = (message: string, hint = 'Score the corrected rejects file again.'): RowcastError => {
    const { file, line } = cursor;
    return new RowcastError('bad_corrections', message, { location: { file, line }, hint });
  };
  return {
    /** `reject_row` of the current record; undefined at the end, and before `load`. */
    row: undefined as number | undefined,
    /** What replaces the row; undefined if it was rejected again. */
    scored: undefined as Buffer | undefined,

    /** Reads the current record, or the next one if that was passed. @throws RowcastError `bad_corrections` */
    *load(): Generator<RecordCursor, void> {
      for (;;) {
        yield* load(cursor);
        if (!cursor.hasRecord || cursor.kind !== RecordKind.blank) break;
        cursor.advance();
      }
      const former = this.row;
      this.row = undefined;
      this.scored = undefined;
      if (!cursor.hasRecord) return;
      const fault = findFault();
      // A row that was rejected again has empty fields only, if it kept none of its own.
      if (fault !== undefined && !isNoRow(fault.code)) throw bad(fault.reason);
      const head = records.head(cursor, true);
      // A spreadsheet may write quotes.
      const text = head?.row.replace(/^"(.*)"$/, '$1') ?? '';
      if (head === undefined || !/^[1-9]\d{0,15}$/.test(text))
        throw bad('reject_row is not the number of a row');
      this.row = Number(text);
      if (former !== undefined && this.row <= former)
        throw bad(`row ${this.row} comes after row ${former}`, 'Sort the rows by reject_row, each once.');
      const fields = comparison.afterOwn(cursor);
      if (fields === undefined) throw bad('fields are missing');
      const outcome = appended.check(fields);
      if (typeof outcome === 'object') throw bad(outcome.wrong, outcome.hint);
      if (outcome === 'scored') this.scored = records.rowOf(cursor, head.at);
    },

    *next(): Generator<RecordCursor, void> {
      cursor.advance();
      yield* this.load();
    },

    /**
     * A row that was repaired before may be given again, if it is the same.
     *
     * @param scored what would replace the row
     * @throws RowcastError `bad_corrections`
     */
    checkSame({ bytes, start, contentEnd }: RecordCursor, scored: Buffer): void {
      if (scored.equals(bytes.subarray(start, contentEnd))) return;
      throw bad(`row ${this.row} was repaired before, with other values`);
    },

    /** The error for a row that is not among the rejected ones. */
    notRejected(): RowcastError {
      return bad(
        `row ${this.row} is not in the rejects file of the output`,
        'Give the scored rejects of this output.',
      );
    },

    /** The error for a row that was left out of an output to which no row can be added. */
    cannotBeAdded(): RowcastError {
      return bad(
        `row ${this.row} was malformed, so the output does not have it, and rows cannot be added to this Parquet file`,
        'Leave it out here; correct the input and score it again, or score the row into a file of its own.',
      );
    },
  };
}

/**
 * The rejects file that a layout is of.
 *
 * @param file its name
 * @throws RowcastError `difference` if it is not a rejects file
 */
export function rejectsFileOf(rejects: Layout, file: string, shape: OutputShape): RejectsFile {
  const found = rejects.asRejects(shape, file);
  if (found !== undefined) return found;
  throw mismatch('the header is not that of a rejects file', { file, line: 1 });
}

/** @throws RowcastError `difference` unless two rejects files have the same columns */
export function checkRejects(rejects: RejectsFile, other: Layout, file: string): void {
  if (rejects.hasColumnsOf(other)) return;
  throw mismatch('the header is not that of the rejects file', { file, line: 1 });
}

interface RepairLayouts {
  rejects: RejectsFile;
  output: Layout;
  corrected: Layout;
}

/** The names of the files, for messages. */
type RepairNames = Readonly<Record<keyof RepairLayouts, string>>;

/** How the fields of corrections are found and checked. */
interface CorrectionChecks {
  comparison: Comparison;
  appended: AppendedCheck;
}

/**
 * Checks that the corrections have the columns of the output after those of a rejects file.
 *
 * @param shape the options of the run
 * @throws RowcastError `bad_corrections`, `difference`
 */
export function checkCorrections(
  { rejects, output, corrected }: RepairLayouts,
  names: RepairNames,
  shape: OutputShape,
): CorrectionChecks {
  if (shape.outputHeader !== false) {
    const comparison = rejects.input.compareWith(output, names.rejects);
    compareHeaders(comparison, { input: names.rejects, output: names.output }, shape);
  }
  const comparison = rejects.compareCorrections(corrected, output, names.output);
  if ('wrong' in comparison) throw otherColumns(names.corrected, comparison.wrong);
  try {
    return { comparison, appended: appendedCheckOf(comparison, names.corrected, shape) };
  } catch (error) {
    throw error instanceof RowcastError ? otherColumns(names.corrected, error.message) : error;
  }
}

const otherColumns = (file: string, message: string): RowcastError =>
  new RowcastError('bad_corrections', message, {
    location: { file, line: 1 },
    hint: 'Score the corrected rejects file with the options that the output was scored with.',
  });
