import { counted, countOf } from '../../base/number-text.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { listOf } from '../terminal/files-list.ts';

/**
 * Describes the summary of several files for people.
 *
 *     200 files: 197 scored, 3 not scored; 197,000 rows scored, 12 rejected in 4.2 s, 46,905 rows/s
 *       not scored: in/a.csv [bad_gzip], in/b.csv [missing_columns], in/c.csv [no_such_file]
 *
 * @param rejectedBefore rows that were rejected when the files that are unchanged now were scored
 */
export function describeFiles(
  { runs, rows, seconds, rows_per_second: rate }: Summary,
  rejectedBefore: number,
): string {
  const files = runs ?? [];
  const of = (status: Summary['status']): number => files.filter(run => run.status === status).length;
  const failed = files.filter(({ status }) => status === 'stopped' || status === 'refused');
  const parts = [
    [of('finished'), 'scored'],
    [of('skipped'), 'unchanged or skipped'],
    [failed.length, 'not scored'],
  ] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, what]) => `${counted(count)} ${what}`);
  const rejected = rows.rejected === 0 ? '' : `, ${counted(rows.rejected)} rejected`;
  const line = `${countOf(files.length, 'file')}: ${counts.join(', ')}; ${countOf(rows.scored, 'row')} scored${rejected} in ${seconds.toFixed(1)} s, ${counted(rate)} rows/s`;
  const earlier =
    rejectedBefore === 0
      ? ''
      : `\n  of the unchanged files, ${countOf(rejectedBefore, 'row')} ${rejectedBefore === 1 ? 'was' : 'were'} rejected when they were scored`;
  const listed = failed.map(({ input, error }) => ({ path: input, code: error?.code }));
  return [line + earlier, ...listOf('not scored', listed)].join('\n  ');
}
