import { RowcastError } from '../../base/errors.ts';
import { counted, countOf } from '../../base/number-text.ts';
import {
  checkRejectLimit,
  exceeds,
  type RejectCounts,
  type RejectLimit,
} from '../../base/options/values/reject-limit.ts';
import type { LastRun } from '../summary/last-run.ts';
import type { RunNote } from '../summary/summary.ts';

/** The rows that may be rejected in all runs of a command together. */
export type RejectBudget = ReturnType<typeof rejectBudget>;

/** @param of whose rows they are, for the message, such as `of all files ` */
export function rejectBudget(limit: RejectLimit | undefined, of = '') {
  /** By run, what was counted last. */
  const runs = new Map<RejectCounts, typeof total>();
  const total = { read: 0, rejected: 0, rejectedLines: 0 };
  let others = { read: 0, rejected: 0 };
  const refuse = (isEnd: boolean): void => {
    const rejectedBy: Record<string, number> = {};
    for (const { rejectedBy: codes } of runs.keys())
      for (const [code, rows] of Object.entries(codes)) rejectedBy[code] = (rejectedBy[code] ?? 0) + rows;
    checkRejectLimit(limit, { ...total, rejectedBy }, isEnd, of);
  };
  return {
    /** Counts rows that other processes score within the same budget: their totals so far. */
    setOthers({ read, rejected }: Pick<RejectCounts, 'read' | 'rejected'>): void {
      total.read += read - others.read;
      total.rejected += rejected - others.rejected;
      others = { read, rejected };
    },

    /**
     * Counts the rows of a run so far.
     *
     * @param rowCounts of the run, always the same object
     * @throws RowcastError `too_many_rejects`
     */
    check(rowCounts: RejectCounts): void {
      if (limit === undefined) return;
      const { read, rejected, rejectedLines = 0 } = rowCounts;
      const before = runs.get(rowCounts) ?? { read: 0, rejected: 0, rejectedLines: 0 };
      runs.set(rowCounts, { read, rejected, rejectedLines });
      total.rejectedLines += rejectedLines - before.rejectedLines;
      total.read += read - before.read;
      total.rejected += rejected - before.rejected;
      if (exceeds(limit, total)) refuse(false);
    },

    /** Checks the budget at the end, when a percentage counts however few rows there are. */
    checkEnd: () => refuse(true),
  };
}

/** The fewest rows that a run may have, and a text that says why; undefined without a limit. */
export type LeastRows = { rows: number; text: string } | undefined;

/** @param note called if the limit is a part of the rows of a run that is not known */
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
