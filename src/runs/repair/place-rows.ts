import type { RowcastError } from '../../base/errors.ts';
import type { OpenedGroups } from '../../formats/format.ts';
import { RecordKind } from '../../formats/records/batch.ts';
import { isFaultCode } from '../../formats/records/faults.ts';
import { joinsLine } from '../../formats/records/line-endings.ts';
import type { Rejected, RejectHead } from '../verify/compare-reject.ts';
import { load, mismatch, type RecordCursor } from '../verify/record-cursor.ts';
import type { Corrections } from './corrections.ts';

/** The files of a repair, each before its first record. */
export interface RepairFiles {
  output: RecordCursor;
  /** Undefined if none are left. */
  rejects: Rejected | undefined;
  /** The rows that were repaired before, if there are any. */
  repaired: Rejected | undefined;
  corrections: Corrections;
  /** Line of the input at which its first record begins. */
  firstLine: number;
  /** The line ending of a row that was not in the output. */
  ending: Buffer;
  /** How rows are written; undefined if the output is text. */
  groups: Pick<OpenedGroups, 'asWritten' | 'addRow' | 'canAdd'> | undefined;
}

/** What happened to the corrected rows. */
export interface Placed {
  /** Rows that were put into their places. */
  placed: number;
  /** Rows that were there already. */
  already: number;
  /** Rows that are still rejected. */
  left: number;
}

/** Writes bytes to one of the new files. */
export type WriteRepaired = (to: 'output' | 'rejects' | 'repaired', bytes: Buffer) => Promise<void>;

const LONE_CR = Buffer.of(0x0d);

/**
 * Puts corrected rows into their places.
 *
 * A row that was malformed is not in the output; whether blank lines of the input come before or after it follows from
 * its line. That is exact unless the output lacks line breaks, of columns that were dropped or records that were
 * corrected in the rejects file itself: then more of them may come before it.
 *
 * @param stop checked before each read and write
 * @throws RowcastError `difference` if the output and its rejects do not belong together; `bad_corrections`
 */
export async function placeRows(
  files: RepairFiles,
  writeRows: WriteRepaired,
  stop: AbortSignal | undefined,
): Promise<Placed> {
  const { output, rejects, repaired, corrections, ending } = files;
  const { layout } = output;
  const counts: Placed = { placed: 0, already: 0, left: 0 };
  let { firstLine: line } = files;
  let lastByte = layout.preamble.at(-1);
  /** Fills the cursors that need it. */
  const fill = async (cursors: Iterable<RecordCursor>): Promise<void> => {
    for (const cursor of cursors) {
      stop?.throwIfAborted();
      await cursor.fill();
    }
  };
  if (rejects !== undefined) await fill(rejects.load());
  if (repaired !== undefined) await fill(repaired.load());
  await fill(corrections.load());

  const write = async (bytes: Buffer): Promise<void> => {
    if (bytes.length === 0) return;
    stop?.throwIfAborted();
    await writeRows('output', bytes);
    lastByte = bytes.at(-1);
  };
  const moveEntry = async (from: Rejected, to: 'rejects' | 'repaired'): Promise<void> => {
    const { bytes, start, end } = from.cursor;
    stop?.throwIfAborted();
    await writeRows(to, bytes.subarray(start, end));
    await fill(from.next());
  };
  const asWritten = (correction: Buffer): Buffer =>
    files.groups?.asWritten(correction, output.bytes.subarray(output.start, output.contentEnd)) ?? correction;
  const asAdded = (correction: Buffer): Buffer => {
    if (files.groups === undefined) return correction;
    const empty = files.groups.addRow(output.row - 1);
    if (empty === undefined) throw corrections.cannotBeAdded();
    return files.groups.asWritten(correction, empty);
  };
  /** Start of the bytes of the output's batch that were not written yet. */
  let pending = 0;
  const writePending = async (to: number): Promise<void> => {
    await write(output.bytes.subarray(pending, to));
    pending = to;
  };
  const loadOutput = async (): Promise<void> => {
    await writePending(output.bytes.length);
    await fill(load(output));
    pending = output.isEnded ? output.bytes.length : 0;
  };
  const pass = (): void => {
    line += layout.countLines(output.bytes, output.start, output.end);
    output.advance();
  };

  for (let row = 1; ; row++) {
    const reject = rejects?.head?.row === row ? rejects.head : undefined;
    const isMalformed = reject !== undefined && isFaultCode(reject.code);
    for (;;) {
      if (!output.hasRecord && !output.isEnded) await loadOutput();
      const isBlank = output.hasRecord && output.kind === RecordKind.blank;
      if (!isBlank || (isMalformed && line >= (reject?.line ?? 0))) break;
      if (
        joinsLine(
          pending < output.start ? output.bytes[output.start - 1] : lastByte,
          output.bytes[output.start],
        )
      ) {
        await writePending(output.start);
        await write(LONE_CR);
      }
      pass();
    }
    const correction = corrections.row === row ? corrections.scored : undefined;
    if (reject === undefined || rejects === undefined) {
      if (!output.hasRecord) break;
      if (repaired?.head?.row === row) {
        if (correction !== undefined) corrections.checkSame(output, asWritten(correction));
        if (corrections.row === row) counts.already++;
        line = lineAfter(repaired, repaired.head);
        output.advance();
        await moveEntry(repaired, 'repaired');
      } else {
        if (corrections.row === row) throw corrections.notRejected();
        pass();
      }
    } else {
      if (!isMalformed && !output.hasRecord) throw outputEnds(rejects);
      // The output may lack columns with line breaks.
      const lines = isMalformed ? 0 : layout.countLines(output.bytes, output.start, output.end);
      line = Math.max(lineAfter(rejects, reject), reject.line + lines);
      // A text in a column of numbers is still what it was rejected for.
      const isLeft = correction === undefined || (isMalformed && files.groups?.canAdd(correction) === false);
      if (isLeft) counts.left++;
      else {
        counts.placed++;
        await writePending(output.hasRecord ? output.start : output.bytes.length);
        await write(isMalformed ? asAdded(correction) : asWritten(correction));
        if (isMalformed) await write(ending);
        else pending = output.contentEnd;
      }
      if (!isMalformed) output.advance();
      await moveEntry(rejects, isLeft ? 'rejects' : 'repaired');
    }
    if (corrections.row === row) await fill(corrections.next());
  }
  await writePending(output.bytes.length);
  if (rejects?.head !== undefined) throw outputEnds(rejects);
  if (corrections.row !== undefined) throw corrections.notRejected();
  return counts;
}

/** The line of the input after a row that was rejected. */
const lineAfter = ({ cursor }: Rejected, { line, at }: RejectHead): number =>
  line + cursor.layout.countLines(cursor.bytes, at, cursor.end);

function outputEnds({ head, cursor: { file, line } }: Rejected): RowcastError {
  return mismatch(`row ${head?.row} is out of order, or beyond the end of the output`, { file, line });
}
