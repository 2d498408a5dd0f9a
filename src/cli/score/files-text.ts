import { counted, countOf } from '../../base/number-text.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { type ListedFile, listOf, MAX_LISTED } from '../terminal/files-list.ts';
import { reusedText } from '../terminal/reuse/unsent-text.ts';

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
  const parts = [
    [files.finished, 'scored'],
    [files.skipped, 'unchanged or skipped'],
    [files.failed, 'not scored'],
  ] as const;
  const counts = parts.filter(([count]) => count > 0).map(([count, what]) => `${counted(count)} ${what}`);
  const rejected = rows.rejected === 0 ? '' : `, ${counted(rows.rejected)} rejected`;
  const line = `${countOf(runs?.length ?? 0, 'file')}: ${counts.join(', ')}; ${countOf(rows.scored, 'row')} scored${reusedText(summary)}${rejected} in ${seconds.toFixed(1)} s, ${counted(rate)} rows/s`;
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
