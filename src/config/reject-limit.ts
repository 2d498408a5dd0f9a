import { RowcastError } from '../errors.ts';

/** Rows of a run so far; `rejectedBy` is code → rows. */
export interface RowCounts {
  read: number;
  rejected: number;
  rejectedBy: Readonly<Record<string, number>>;
}

/** So many rows, or so many of a hundred that were read. */
export type RejectLimit = { rows: number } | { percent: number };

/** A share of fewer rows than this means nothing yet. */
const MIN_ROWS_FOR_PERCENT = 1000;

/** @returns undefined for what is neither `N` nor `N%` */
export function readRejectLimit(text: string): RejectLimit | undefined {
  const [, number, percent] = /^(\d+|\d+\.\d+(?=%))(%?)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  return percent === '%' ? { percent: Number(number) } : { rows: Number(number) };
}

/** Whether more rows were rejected than a share allows. */
export function exceeds(
  share: RejectLimit,
  { rejected, read }: Pick<RowCounts, 'read' | 'rejected'>,
): boolean {
  return 'rows' in share ? rejected > share.rows : rejected > (share.percent / 100) * read;
}

/**
 * Stops a run of which too many rows are rejected.
 *
 * @param isEnd whether all rows were read: until then a percentage counts once 1,000 were
 * @throws RowcastError `too_many_rejects`
 */
export function checkRejects(most: RejectLimit | undefined, accounts: RowCounts, isEnd: boolean): void {
  if (most === undefined || !exceeds(most, accounts)) return;
  if ('percent' in most && accounts.read < MIN_ROWS_FOR_PERCENT && !isEnd) return;
  const codes = Object.entries(accounts.rejectedBy).map(([code, rows]) => `${rows} × ${code}`);
  throw new RowcastError(
    'too_many_rejects',
    `${accounts.rejected} of ${accounts.read} rows were rejected: ${codes.join(', ')}`,
    {
      consequence: 'stopped',
      hint: 'Look at the rejects; the same command with a larger --max-rejects goes on.',
    },
  );
}
