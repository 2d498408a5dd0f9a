import {
  checkRejectLimit,
  exceeds,
  type RejectCounts,
  type RejectLimit,
} from '../../base/options/values/reject-limit.ts';

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
