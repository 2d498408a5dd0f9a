import { type LastRun, lastRunShape } from './last-run.ts';
import type { Summary } from './summary.ts';

/**
 * Whether a file was scored after the last good run, by an attempt that was none: no figures of a good run have its
 * rows.
 *
 * @param last undefined if none is known
 */
export const isScoredSince = (
  file: Pick<LastRun, 'finished_at'>,
  last: Pick<LastRun, 'finished_at'> | undefined,
): boolean => last === undefined || file.finished_at > last.finished_at;

/**
 * The facts of a run to which later ones are compared; undefined unless it is a good one. A run that skipped files
 * which an earlier attempt had scored has counted only a part, so it has the columns and scores of the good run before
 * it. So has one that skipped all of them, which is how a run becomes good whose files were all scored before.
 *
 * @param previous the last good run before it, if one is known
 * @param isEnding whether the run is just ending: a summary that is read later has that run in `last` anyway
 */
export function goodRun(summary: Summary, previous?: LastRun, isEnding = false): LastRun | undefined {
  const { status, run_id, exit_code, started_at, finished_at, input, output, report, rows } = summary;
  if ((status !== 'finished' && !(status === 'skipped' && isEnding)) || finished_at === null)
    return undefined;
  const all = { read: rows.read, scored: rows.scored, rejected: rows.rejected };
  const digests: string[] = [];
  let isPart = false;
  for (const run of summary.runs ?? [summary]) {
    if (run.digest !== null && run.rows.read > 0) digests.push(run.digest);
    if (run.status !== 'skipped' || run.last === null) continue;
    isPart ||= run.last.rows.read > 0 && isScoredSince(run.last, previous);
    all.read += run.last.rows.read;
    all.scored += run.last.rows.scored;
    all.rejected += run.last.rows.rejected;
    digests.push(...run.last.digests);
  }
  if (all.read === 0 || (status === 'skipped' && !isPart)) return undefined;
  const facts = { run_id, started_at, finished_at, input, report };
  return {
    ...facts,
    exit_code,
    output,
    rows: all,
    ...(isPart
      ? figuresBefore(previous)
      : { columns: summary.columns, scores: summary.scores, labels: summary.labels }),
    ...(!isPart && all.read !== rows.read && { counted: { ...facts, rows: { read: rows.read } } }),
    digests,
  };
}

function figuresBefore(
  previous: LastRun | undefined,
): Pick<LastRun, 'columns' | 'scores' | 'labels' | 'counted'> {
  if (previous === undefined) return { columns: null, scores: null, labels: null };
  const { run_id, started_at, finished_at, input, report, rows, columns, scores, labels } = previous;
  const own = { run_id, started_at, finished_at, input, report, rows: { read: rows.read } };
  return { columns, scores, labels, counted: previous.counted ?? own };
}

/** A summary with the numbers of what its output has: those of the run that a skipped one stands for. */
export const standingFor = <
  T extends Pick<Summary, 'status' | 'last' | 'rows' | 'columns' | 'scores' | 'labels'>,
>(
  summary: T,
): T =>
  summary.status !== 'skipped' || summary.last === null
    ? summary
    : {
        ...summary,
        rows: { ...summary.rows, ...summary.last.rows },
        columns: summary.last.columns,
        scores: summary.last.scores,
        labels: summary.last.labels,
      };

/** The last good run that the JSON of a summary knows: its own, or the one that it stands beside. */
export function lastRunIn(summary: unknown): LastRun | undefined {
  try {
    return lastRunShape.safeParse(goodRun(Object(summary)) ?? Object(summary).last).data;
  } catch {
    return undefined; // it is no summary
  }
}
