import { RowcastError } from '../../base/errors.ts';
import { exceeds } from '../../base/options/values/reject-limit.ts';
import type { DriftLine } from '../../runs/drift/drift-line.ts';
import { misfitLine } from '../../runs/guards/misfit-line.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { type RunIo, scoreTo } from '../../runs/score.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { Accounts } from '../../scoring/row-counts.ts';
import type { Scorer } from '../../scoring/scorer.ts';
import { endLast } from './end-last.ts';
import { ExitCode } from './exit-code.ts';
import { longFieldLine } from './long-field-line.ts';
import { noteDrift } from './note-drift.ts';
import type { ScoreValues, Scoring } from './score-values.ts';

/** What a run is scored with. */
export interface ScoringMeans extends Pick<RunIo, 'budget' | 'total' | 'earlier' | 'source'> {
  scorer: Scorer;
}

/** Callbacks of a run, which is recorded anyway. */
export interface RunWatch extends Omit<RunObserver, 'stop'> {
  /** Called when the output is complete, before its summary is written. */
  onScored?: () => void;
  /** Called with a line about values that the model does not know: a run is never silent about them. */
  onUnknownValues?: (line: string) => void;
  /** Called with what has changed most since the run of --compare. */
  onDrift?: (line: DriftLine) => void;
}

/** Scores, keeps what happens in the record, and writes the summary; an output that is no file ends after it. */
export async function scoreRecorded(
  scoring: Scoring,
  means: ScoringMeans,
  watch: RunWatch = {},
): Promise<Summary> {
  const { target, end, abandon } = endLast(scoring.held.output);
  try {
    const summary = await scoreAndRecord(
      { ...scoring, held: { ...scoring.held, output: target } },
      means,
      watch,
    );
    await end();
    return summary;
  } catch (error) {
    await abandon();
    throw error;
  }
}

async function scoreAndRecord(
  scoring: Scoring,
  { scorer, ...io }: ScoringMeans,
  watch: RunWatch,
): Promise<Summary> {
  const { values, input, held, record, stop } = scoring;
  record.service = scorer.name;
  record.statistics = scorer.statistics;
  const options = { ...values, report: reportOf(values), input };
  const observer = recording(scoring, watch);
  const scored = await scoreTo(held, options, scorer, observer, { attempt: record.newRun, ...io });
  watch.onScored?.();
  if (scored === undefined) return record.end('skipped', ExitCode.done, stop);
  Object.assign(record, { ...scored, figures: () => scored.figures });
  const line = scored.figures && misfitLine(scored.figures.columns, scored.accounts.read);
  if (line !== undefined) {
    record.warnings.push({ code: 'unknown_values', message: line });
    watch.onUnknownValues?.(line);
  }
  const drift = noteDrift(record);
  if (drift !== undefined) watch.onDrift?.(drift);
  return record.end('finished', codeOf(values, scored.accounts), stop);
}

/** @throws RowcastError `usage` */
export function reportOf({ report }: Pick<ScoreValues, 'report'>): string {
  if (report !== undefined) return report;
  throw new RowcastError('usage', 'no report given; use --report ID', {
    hint: 'rowcast reports lists the local reports.',
  });
}

/** The exit code of a finished run. */
export function codeOf(
  { rejectsOk }: Pick<ScoreValues, 'rejectsOk'>,
  accounts: Pick<Accounts, 'read' | 'rejected'>,
): number {
  const isFine = accounts.rejected === 0 || (rejectsOk !== undefined && !exceeds(rejectsOk, accounts));
  return isFine ? ExitCode.done : ExitCode.someRejected;
}

/** Keeps the record up to date. */
function recording({ input, record, stop }: Scoring, watch: RunWatch): RunObserver {
  return {
    ...watch,
    stop,
    onBegin(attempt, columns) {
      record.attempt = attempt;
      record.columnsOf = () => columns;
      watch.onBegin?.(attempt, columns);
    },
    onProgress(now) {
      record.accounts = now.accounts;
      record.progress = now;
      record.classes = now.classes;
      record.figures = now.figures;
      record.kept = () => now.resumePoint()?.accounts;
      watch.onProgress?.(now);
    },
    onLongField(field) {
      const [, message] = longFieldLine(input === '-' ? 'stdin' : input, field);
      record.warnings.push({ code: 'long_field', message });
      watch.onLongField?.(field);
    },
    onResume(point) {
      record.resumedFrom = point.row;
      record.accounts = point.accounts;
      record.before = point.accounts;
      watch.onResume?.(point);
    },
    onSuspend(point, needsRestart) {
      record.accounts = point.accounts;
      watch.onSuspend?.(point, needsRestart);
    },
  };
}
