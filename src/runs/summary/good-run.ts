import type { LastRun } from './last-run.ts';
import type { Summary } from './summary.ts';

/** The facts of a run to which later ones are compared; undefined unless it is a good one. */
export function goodRun(summary: Summary): LastRun | undefined {
  const { status, run_id, exit_code, started_at, finished_at, input, output, report, rows } = summary;
  if (status !== 'finished' || finished_at === null || rows.read === 0) return undefined;
  const all = { read: rows.read, scored: rows.scored, rejected: rows.rejected };
  const digests: string[] = [];
  for (const run of summary.runs ?? [summary]) {
    if (run.digest !== null && run.rows.read > 0) digests.push(run.digest);
    if (run.status !== 'skipped' || run.last === null) continue;
    all.read += run.last.rows.read;
    all.scored += run.last.rows.scored;
    all.rejected += run.last.rows.rejected;
    digests.push(...run.last.digests);
  }
  return {
    run_id,
    exit_code,
    started_at,
    finished_at,
    input,
    output,
    report,
    rows: all,
    columns: summary.columns,
    scores: summary.scores,
    digests,
  };
}

/** A summary with the numbers of what its output has: those of the run that a skipped one stands for. */
export const standingFor = <T extends Pick<Summary, 'status' | 'last' | 'rows' | 'columns' | 'scores'>>(
  summary: T,
): T =>
  summary.status !== 'skipped' || summary.last === null
    ? summary
    : {
        ...summary,
        rows: { ...summary.rows, ...summary.last.rows },
        columns: summary.last.columns,
        scores: summary.last.scores,
      };
