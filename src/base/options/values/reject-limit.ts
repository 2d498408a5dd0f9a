import { RowcastError } from '../../errors.ts';
import { partOf } from '../../number-text.ts';

/** Rows of a run so far, as far as limits of rejects need them; `rejectedBy` maps code → rows. */
export interface RejectCounts {
  read: number;
  rejected: number;
  /** Lines of rejects besides the first of each: they count as rows, which may be in them. */
  rejectedLines?: number | undefined;
  rejectedBy: Readonly<Record<string, number>>;
}

/** A threshold for rejected rows: a number of rows, or a percentage of the rows read. */
export type RejectLimit = { rows: number } | { percent: number };

/** A threshold that can be turned off. */
export type RejectLimitOrNone = RejectLimit | 'none';

/** A percentage of fewer rows than this is not meaningful. */
const MIN_ROWS_FOR_PERCENT = 1000;

/** @returns undefined unless the text is `N`, or `N%` up to 100% */
export function readRejectLimit(text: string): RejectLimit | undefined {
  const [, number, percent] = /^(\d+|\d+\.\d+(?=%))(%?)$/.exec(text) ?? [];
  if (number === undefined || (percent === '%' && Number(number) > 100)) return undefined;
  return percent === '%' ? { percent: Number(number) } : { rows: Number(number) };
}

/**
 * Whether a limit is exceeded while rows are still being read: a percentage applies from 1,000 rows on, and at the end.
 */
export const isBeyond = (
  limit: RejectLimit,
  counts: Pick<RejectCounts, 'read' | 'rejected' | 'rejectedLines'>,
  isEnd: boolean,
): boolean => exceeds(limit, counts) && (isEnd || 'rows' in limit || counts.read >= MIN_ROWS_FOR_PERCENT);

/** Whether more rows were rejected than the limit allows. */
export function exceeds(
  limit: RejectLimit,
  { rejected, read, rejectedLines = 0 }: Pick<RejectCounts, 'read' | 'rejected' | 'rejectedLines'>,
): boolean {
  const lines = rejected + rejectedLines;
  return 'rows' in limit ? lines > limit.rows : lines > (limit.percent / 100) * (read + rejectedLines);
}

/**
 * Stops a run when too many rows are rejected.
 *
 * @param isEnd whether all rows were read; before that, a percentage applies only from 1,000 rows on
 * @param of whose rows they are, if not those of the file that the error names, such as `of all files `
 * @throws RowcastError `too_many_rejects`
 */
export function checkRejectLimit(
  limit: RejectLimit | undefined,
  counts: RejectCounts,
  isEnd: boolean,
  of = '',
): void {
  if (limit === undefined || !isBeyond(limit, counts, isEnd)) return;
  const codes = Object.entries(counts.rejectedBy).map(([code, rows]) => `${rows} × ${code}`);
  throw new RowcastError(
    'too_many_rejects',
    `${partOf(counts.rejected, counts.read, 'row', [`${of}was`, `${of}were`])} rejected${linesText(counts)}${codes.length === 0 ? '' : `: ${codes.join(', ')}`}`,
    {
      severity: 'stopped',
      needsRestart: true,
      hint: 'Look at the rejected rows; to resume, run the same command with a higher --max-rejects.',
    },
  );
}

const linesText = ({ rejected, rejectedLines = 0 }: RejectCounts): string =>
  rejectedLines === 0 ? '' : ` (${rejected + rejectedLines} lines)`;
