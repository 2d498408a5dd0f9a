import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import type { RejectLimit } from '../../base/options/values/reject-limit.ts';
import type { PipedFile } from '../../base/shell-pipe.ts';
import type { Layout } from '../../formats/format.ts';
import { isFaultCode } from '../../formats/records/faults.ts';
import { isRejectsFile, type Reject } from '../../formats/records/reject.ts';
import { MIN_ROWS_FOR_SHARE } from '../../scoring/counting/counted-column.ts';
import type { RowCounts } from '../../scoring/row-counts.ts';

/** Rows that tell what an input is like. */
const FIRST_ROWS = 1000;
/** With this many rows, all of which are malformed, the next ones will be as well. */
const MIN_ROWS = 3;
/** Malformed rows whose records are looked at for the cause. */
const MAX_SAMPLE = 100;

interface MalformedLimitOptions {
  layout: Pick<Layout, 'names' | 'whyMalformed'>;
  /** The input, for messages. */
  file: PipedFile;
  /** The rows before this process. */
  before: Pick<RowCounts, 'read' | 'rejectedBy'>;
  /** The user's limit of rejects: all of them means that any input is accepted. */
  maxRejects: RejectLimit | undefined;
}

/**
 * Stops a run whose input cannot mean what it was taken for: all of its first rows, or more than half of the first
 * thousand, are malformed. So the output that is there is not replaced by one without rows.
 */
export function malformedLimit({ layout, file, before, maxRejects }: MalformedLimitOptions) {
  const sample: Reject[] = [];
  let malformed = Object.entries(before.rejectedBy)
    .filter(([code]) => isFaultCode(code))
    .reduce((sum, [, rows]) => sum + rows, 0);
  const acceptsAll = maxRejects !== undefined && 'percent' in maxRejects && maxRejects.percent === 100;
  // A rejects file may have only some rows corrected.
  let isDecided = acceptsAll || before.read >= FIRST_ROWS || isRejectsFile(layout.names);

  const refusal = (rows: number): RowcastError => {
    const { cause, remedy, example } = layout.whyMalformed(sample, file);
    const part =
      malformed === rows
        ? rows === 1
          ? 'the only row is'
          : `all of the first ${countOf(rows, 'row')} are`
        : `${counted(malformed)} of the first ${countOf(rows, 'row')} are`;
    const line = example?.line;
    return new RowcastError('malformed_input', `${part} malformed: ${cause}`, {
      severity: 'stopped',
      needsRestart: true,
      location: { file: file.name, ...(line !== undefined && { line }) },
      hint: `To reject all such rows, use --max-rejects 100%. Otherwise: ${remedy.charAt(0).toLowerCase()}${remedy.slice(1)}`,
    });
  };

  return {
    /**
     * Counts the next rows, before they are written.
     *
     * @param read number of rows so far
     * @throws RowcastError `malformed_input`
     */
    check(rejects: readonly Reject[], read: number): void {
      if (isDecided) return;
      for (const reject of rejects) {
        if (reject.row > FIRST_ROWS || !isFaultCode(reject.code)) continue;
        malformed++;
        if (sample.length < MAX_SAMPLE) sample.push(reject);
      }
      const rows = Math.min(read, FIRST_ROWS);
      if (rows >= MIN_ROWS && malformed === rows) throw refusal(rows);
      if (read < FIRST_ROWS) return;
      isDecided = true;
      if (2 * malformed > rows) throw refusal(rows);
    },

    /** @throws RowcastError `malformed_input` */
    checkEnd(read: number): void {
      if (isDecided || read === 0) return;
      const isHalf = read >= MIN_ROWS_FOR_SHARE && 2 * malformed > read;
      if (malformed === read || isHalf) throw refusal(read);
    },
  };
}
