import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import type { RejectLimit } from '../../base/options/values/reject-limit.ts';
import type { LastRun, RunNote } from '../summary/summary.ts';

/** The fewest rows that a run may have, and a text that says why; undefined without a limit. */
export type LeastRows = { rows: number; text: string } | undefined;

/**
 * @param note called if the limit is a part of the rows of a run that is not known
 */
export function leastRows(
  minRows: RejectLimit | undefined,
  last: LastRun | undefined,
  note: (warning: RunNote) => void,
): LeastRows {
  if (minRows === undefined) return undefined;
  if ('rows' in minRows) return { rows: minRows.rows, text: counted(minRows.rows) };
  const { percent } = minRows;
  if (last !== undefined)
    return {
      rows: Math.ceil((percent / 100) * last.rows.read),
      text: `${percent}% of the ${counted(last.rows.read)} of the last good run`,
    };
  note({
    code: 'no_comparison',
    message: `--min-rows ${percent}% has no effect: no good run of this output is known yet`,
  });
  return undefined;
}

/** @throws RowcastError `under_min_rows` */
export function checkLeastRows(least: LeastRows, read: number, file?: string): void {
  if (least === undefined || read >= least.rows) return;
  throw new RowcastError('under_min_rows', `there are ${countOf(read, 'row')}, fewer than ${least.text}`, {
    severity: 'stopped',
    needsRestart: true,
    ...(file !== undefined && { location: { file } }),
    hint: 'Check that the input is complete. If it is, run the same command with a lower --min-rows.',
  });
}
