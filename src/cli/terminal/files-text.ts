import { counted, countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Difference } from '../../library/verify.ts';
import type { Placed } from '../../runs/repair/place-rows.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { VerifiedRows } from '../../runs/verify/compare.ts';
import { reusedText } from './reuse/unsent-text.ts';
import { shownPath } from './summary-text.ts';

/** Maximum number of files that are listed; the summary, or --json, has all. */
export const MAX_LISTED = 20;

/** A file, and the code of the error that it failed with. */
export interface ListedFile {
  path: string;
  code?: string | undefined;
}

/**
 * A line of files, if there are any: `not scored: in/a.csv [bad_gzip], in/b.csv [no_such_file]`.
 *
 * @param count their number, if only the first ones are given
 */
export function listOf(what: string, files: readonly ListedFile[], count = files.length): string[] {
  if (files.length === 0) return [];
  const listed = files
    .slice(0, MAX_LISTED)
    .map(({ path, code }) => `${sanitize(shownPath(path))}${code === undefined ? '' : ` [${code}]`}`);
  const more = count - listed.length;
  return [`${what}: ${listed.join(', ')}${more > 0 ? ` and ${counted(more)} more` : ''}`];
}

/** For example `197 match, 2 differ`. */
const countsOf = (parts: readonly (readonly [count: number, what: string])[]): string =>
  parts.flatMap(([count, what]) => (count > 0 ? [`${counted(count)} ${what}`] : [])).join(', ');

/** What became of the repair of an output, as `repair --json` prints it. */
export interface RepairOfFile {
  output: string;
  /** Null if there is no such file. */
  corrected: string | null;
  /** Whether rows are still rejected; null if that is not known, because of the error. */
  hasRejects: boolean | null;
  /** Null if nothing was repaired. */
  rows: Placed | null;
  error?: { code: string; message: string };
}

/** @param how rows were compared, such as ` by its values` @param accepted how many rows may stay rejected */
export function describePlaced(
  output: string,
  { placed, already, left }: Placed,
  how: string,
  accepted: number,
): string {
  if (placed === 0 && left === 0) return `${output}: nothing is left to repair${beforeText(already)}`;
  const parts = [
    `${countOf(placed, 'row')} repaired in ${output}${how}`,
    ...(already > 0 ? [`${counted(already)} repaired before`] : []),
    left > 0 ? `${counted(left)} still rejected${leftText(left, accepted)}` : 'no rejects are left',
  ];
  return parts.join(', ');
}

/**
 * A row that can never be scored, such as the second half of a broken record, must not make the command fail for ever.
 */
const leftText = (left: number, accepted: number): string =>
  left <= accepted
    ? ', and given up'
    : `; to give ${left === 1 ? 'it' : 'them'} up, add --rejects-ok ${left}`;

const beforeText = (rows: number): string =>
  rows === 0 ? '' : `; ${countOf(rows, 'row')} ${rows === 1 ? 'was' : 'were'} repaired before`;

/**
 * Describes the repair of several outputs.
 *
 *     200 files: 2 repaired, 1 not corrected, 197 without rejects; 12 rows repaired, all rejects of 1 file are left
 *       not corrected: scored/a.csv
 *       correct the rows in OUTPUT.rejects, score that file to OUTPUT.corrected, and run the same command again
 */
export function describeRepaired(files: readonly RepairOfFile[]): string {
  const repaired = files.filter(({ rows }) => rows !== null);
  const failed = files.filter(({ error }) => error !== undefined);
  const uncorrected = files.filter(({ corrected, hasRejects }) => corrected === null && hasRejects === true);
  const without = files.length - repaired.length - failed.length - uncorrected.length;
  const counts = countsOf([
    [repaired.length, 'repaired'],
    [uncorrected.length, 'not corrected'],
    [failed.length, 'not repaired'],
    [without, 'without rejects'],
  ]);
  const sum = (name: keyof Placed): number =>
    repaired.reduce((total, { rows }) => total + (rows?.[name] ?? 0), 0);
  const left =
    uncorrected.length === 0
      ? `${counted(sum('left'))} still rejected`
      : `${sum('left') === 0 ? '' : `${counted(sum('left'))} still rejected, and `}all rejects of ${countOf(uncorrected.length, 'file')} are left`;
  const rows = `${countOf(sum('placed'), 'row')} repaired, ${left}`;
  return [
    `${countOf(files.length, 'file')}: ${counts}; ${rows}`,
    ...listOf('not corrected', uncorrected.map(listedOf)),
    ...(uncorrected.length === 0
      ? []
      : [
          'correct the rows in OUTPUT.rejects, score that file to OUTPUT.corrected, and run the same command again',
        ]),
    ...listOf('not repaired', failed.map(listedOf)),
  ].join('\n  ');
}

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

interface VerifyFailure extends Difference {
  code: string;
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
  const counts = countsOf([
    [match, match === 1 ? 'matches' : 'match'],
    [differ.length, differ.length === 1 ? 'differs' : 'differ'],
    [count - match - differ.length, 'not verified'],
  ]);
  return [
    `${countOf(count, 'file')}: ${counts}; ${describeRows(rows, '', seconds)}`,
    ...listOf('differ', differ.map(listedOf)),
    ...listOf('not verified', failed.map(listedOf)),
  ].join('\n  ');
}

const listedOf = ({ output, error }: RepairOfFile | VerifiedFile): ListedFile => ({
  path: output,
  code: error?.code,
});

/**
 * Describes the summary of several files for people.
 *
 *     200 files: 197 scored, 3 not scored; 197,000 rows scored, 12 rejected in 4.2 s, 46,905 rows/s
 *       rejected rows are in: out/d.csv.rejects
 *       not scored: in/a.csv [bad_gzip], in/b.csv [missing_columns], in/c.csv [no_such_file]
 *
 * @param rejectedBefore rows that were rejected when the files that are unchanged now were scored
 */
export function describeFiles(summary: Summary, rejectedBefore: number): string {
  const { runs, rows, seconds, rows_per_second: rate } = summary;
  const files = { finished: 0, skipped: 0, failed: 0 };
  const listed: ListedFile[] = [];
  const withRejects: ListedFile[] = [];
  let rejectsFiles = 0;
  for (const { status, input, error, rows, rejects } of runs ?? []) {
    if (status === 'finished' || status === 'skipped') files[status]++;
    if (status === 'finished' && rows.rejected > 0 && rejects !== null && rejectsFiles++ < MAX_LISTED)
      withRejects.push({ path: rejects });
    if (status !== 'stopped' && status !== 'refused') continue;
    if (files.failed++ < MAX_LISTED) listed.push({ path: input, code: error?.code });
  }
  const counts = countsOf([
    [files.finished, 'scored'],
    [files.skipped, 'unchanged or skipped'],
    [files.failed, 'not scored'],
  ]);
  const rejected = rows.rejected === 0 ? '' : `, ${counted(rows.rejected)} rejected`;
  const line = `${countOf(runs?.length ?? 0, 'file')}: ${counts}; ${countOf(rows.scored, 'row')} scored${reusedText(summary)}${rejected} in ${seconds.toFixed(1)} s, ${counted(rate)} rows/s`;
  const earlier =
    rejectedBefore === 0
      ? ''
      : `\n  of the unchanged files, ${countOf(rejectedBefore, 'row')} ${rejectedBefore === 1 ? 'was' : 'were'} rejected when they were scored`;
  return [
    line + earlier,
    ...listOf('rejected rows are in', withRejects, rejectsFiles),
    ...listOf('not scored', listed, files.failed),
  ].join('\n  ');
}
