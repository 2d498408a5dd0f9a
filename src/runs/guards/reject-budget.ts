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
export class RejectBudget {
  readonly #limit: RejectLimit | undefined;
  readonly #of: string;
  /** By run, what was counted last. */
  readonly #runs = new Map<
    RejectCounts,
    Required<Pick<RejectCounts, 'read' | 'rejected' | 'rejectedLines'>>
  >();
  readonly #total = { read: 0, rejected: 0, rejectedLines: 0 };
  #others = { read: 0, rejected: 0 };

  /** @param of whose rows they are, for the message, such as `of all files ` */
  constructor(limit: RejectLimit | undefined, of = '') {
    this.#limit = limit;
    this.#of = of;
  }

  /** Counts rows that other processes score within the same budget: their totals so far. */
  setOthers({ read, rejected }: Pick<RejectCounts, 'read' | 'rejected'>): void {
    this.#total.read += read - this.#others.read;
    this.#total.rejected += rejected - this.#others.rejected;
    this.#others = { read, rejected };
  }

  /**
   * Counts the rows of a run so far.
   *
   * @param rowCounts of the run, always the same object
   * @throws RowcastError `too_many_rejects`
   */
  check(rowCounts: RejectCounts): void {
    if (this.#limit === undefined) return;
    const { read, rejected, rejectedLines = 0 } = rowCounts;
    const before = this.#runs.get(rowCounts) ?? { read: 0, rejected: 0, rejectedLines: 0 };
    this.#runs.set(rowCounts, { read, rejected, rejectedLines });
    this.#total.rejectedLines += rejectedLines - (before.rejectedLines ?? 0);
    this.#total.read += read - before.read;
    this.#total.rejected += rejected - before.rejected;
    if (exceeds(this.#limit, this.#total)) this.#refuse(false);
  }

  /** Checks the budget at the end, when a percentage counts however few rows there are. */
  checkEnd(): void {
    this.#refuse(true);
  }

  #refuse(isEnd: boolean): void {
    const rejectedBy: Record<string, number> = {};
    for (const { rejectedBy: codes } of this.#runs.keys())
      for (const [code, rows] of Object.entries(codes)) rejectedBy[code] = (rejectedBy[code] ?? 0) + rows;
    checkRejectLimit(this.#limit, { ...this.#total, rejectedBy }, isEnd, this.#of);
  }
}

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
