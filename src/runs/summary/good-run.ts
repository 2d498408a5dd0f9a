import type { LastRun } from './last-run.ts';
import type { Summary } from './summary.ts';

/** The facts of a run to which later ones are compared; undefined unless it is a good one. */
export function goodRun(summary: Summary): LastRun | undefined {
  const { status, run_id, exit_code, started_at, finished_at, input, output, report, rows } = summary;
  if (status !== 'finished' || finished_at === null || rows.read === 0) return undefined;
  const before = (summary.runs ?? []).flatMap(run =>
    run.status === 'skipped' && run.last !== null ? [run.last] : [],
  );
  const sum = (of: (rows: LastRun['rows']) => number): number =>
    before.reduce((total, { rows }) => total + of(rows), of(rows));
  const digests = (summary.runs ?? [summary]).flatMap(run =>
    run.digest !== null && run.rows.read > 0 ? [run.digest] : [],
  );
  return {
    run_id,
    exit_code,
    started_at,
    finished_at,
    input,
    output,
    report,
    rows: {
      read: sum(({ read }) => read),
      scored: sum(({ scored }) => scored),
      rejected: sum(r => r.rejected),
    },
    columns: summary.columns,
    scores: summary.scores,
    digests: [...digests, ...before.flatMap(run => run.digests)],
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
