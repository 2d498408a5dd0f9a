import { counted, countOf } from '../../base/number-text.ts';
import type { VerifiedRows } from '../../runs/verify/compare.ts';
import { listOf } from './files-list.ts';

/** What became of the verification of a pair, as `verify --json` prints it. */
export interface VerifiedFile {
  input: string;
  output: string;
  /** Whether the files match; null if that cannot be said, because of the error. */
  agrees: boolean | null;
  /** The first difference. */
  difference?: VerifyFailure;
  error?: VerifyFailure;
  /** The rows that were compared. */
  rows: VerifiedRows;
  /** The rejects file that was compared; null if there is none. */
  rejects: string | null;
  /** With --sample, the rows that were predicted again. */
  sampled?: number;
}

interface VerifyFailure {
  code: string;
  message: string;
  file?: string | undefined;
  line?: number | undefined;
  row?: number | undefined;
}

/** For example `5 rows, 3 scored, 2 rejected (1 without prediction, 1 malformed; not checked: no rejects file)`. */
export function describeTally(verified: VerifiedRows, rejects: string | undefined, seconds: number): string {
  const { unscored, malformed } = verified;
  const where = rejects === undefined ? 'not checked: no rejects file' : `all in ${rejects}`;
  const reasons =
    unscored + malformed === 0
      ? ''
      : ` (${counted(unscored)} without prediction, ${counted(malformed)} malformed; ${where})`;
  return describeRows(verified, reasons, seconds);
}

function describeRows(verified: VerifiedRows, reasons: string, seconds: number): string {
  const { rows, scored, repaired, unscored, malformed, blank } = verified;
  const parts = [
    countOf(rows, 'row'),
    `${counted(scored)} scored${repaired > 0 ? ` (${counted(repaired)} repaired)` : ''}`,
    `${counted(unscored + malformed)} rejected${reasons}`,
    countOf(blank, 'blank line'),
  ];
  return `${parts.join(', ')}; in ${seconds.toFixed(1)} s, ${counted(rows / seconds)} rows/s`;
}

/**
 * Describes the verification of several files.
 *
 *     200 files: 197 match, 2 differ, 1 not verified; 989 rows, 985 scored, 4 rejected, 0 blank lines; in 8.2 s, 121 rows/s
 *       differ: scored/a.csv, scored/b.csv
 *       not verified: scored/c.csv [unfinished]
 *
 * @param count of the files, of which those after a failure that concerns all are not among the others
 */
export function describeVerified(
  files: readonly VerifiedFile[],
  count: number,
  rows: VerifiedRows,
  seconds: number,
): string {
  const differ = files.filter(({ agrees }) => agrees === false);
  const failed = files.filter(({ agrees }) => agrees === null);
  const match = files.length - differ.length - failed.length;
  const parts = [
    [match, match === 1 ? 'matches' : 'match'],
    [differ.length, differ.length === 1 ? 'differs' : 'differ'],
    [count - match - differ.length, 'not verified'],
  ] as const;
  const counts = parts.filter(([number]) => number > 0).map(([number, what]) => `${counted(number)} ${what}`);
  return [
    `${countOf(count, 'file')}: ${counts.join(', ')}; ${describeRows(rows, '', seconds)}`,
    ...listOf('differ', differ.map(listedOf)),
    ...listOf('not verified', failed.map(listedOf)),
  ].join('\n  ');
}

const listedOf = ({ output, error }: VerifiedFile) => ({ path: output, code: error?.code });
