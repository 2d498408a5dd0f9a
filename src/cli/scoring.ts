import type { Client } from '../client/client.ts';
import { exceeds } from '../config/reject-limit.ts';
import { RowcastError } from '../errors.ts';
import type { LongField } from '../formats/csv/records/long-field.ts';
import type { Accounts } from '../runs/accounts.ts';
import type { Attempt } from '../runs/attempt.ts';
import type { ResumePoint } from '../runs/output/output.ts';
import type { LockedPaths } from '../runs/paths/lock-paths.ts';
import { runFilesOf } from '../runs/paths/run-files.ts';
import type { Summary } from '../runs/summary.ts';
import type { RunObserver, RunProgress } from '../scoring/observer.ts';
import type { RejectBudget } from '../scoring/reject-budget.ts';
import { scoreTo } from '../scoring/score.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { Address } from './choose-service.ts';
import { checkStdout } from './closed-stdout.ts';
import type { Context } from './context.ts';
import { ExitCode } from './exit-codes.ts';
import { longFieldLine } from './long-field-line.ts';
import { rejectLines } from './reject-lines.ts';
import { describeRejects } from './repair-commands.ts';
import type { ScoreValues } from './score/score-values.ts';
import { withScorer } from './score/with-scorer.ts';
import { nameReport } from './service.ts';
import type { RunRecord } from './summary-file.ts';
import { counted, openProgress, type Progress, progressLine } from './terminal/progress.ts';
import { describeSummary } from './terminal/summary-text.ts';

/** A scoring run whose files are locked. */
export interface Scoring {
  values: ScoreValues;
  /** A path, or `-` for stdin. */
  input: string;
  held: LockedPaths;
  record: RunRecord;
  /** Aborted by the first signal. */
  stop: AbortSignal;
}

/** What a run is scored with. */
export interface ScoringMeans {
  scorer: Client | Scorer;
  progress: Progress;
  /** Of several runs together. */
  budget?: RejectBudget;
}

/**
 * Opens the service, scores, logs progress and result to stderr, and keeps them in the record.
 *
 * @returns the exit code
 */
export async function scoreReporting(context: Context, scoring: Scoring, address: Address): Promise<number> {
  const { log, logFormat } = context;
  const { values, input, held, stop } = scoring;
  const { output } = values;
  const report = reportOf(values);
  checkStdout([held.output, held.rejects, held.summary]);
  if (input === '-' && process.stdin.isTTY)
    log.info('reading personas from the terminal; press Ctrl-D to end the input');
  return withScorer({ values, address, stop }, context, async scorer => {
    const progress = openProgress({ output, logFormat });
    stop.addEventListener('abort', progress.close);
    log.info(`scoring ${input === '-' ? 'stdin' : input} with ${nameReport(report, scorer)}`);
    try {
      const { exit_code, rows } = await scoreWith(context, scoring, { scorer, progress });
      const rejects = values.rejects ?? (output === '-' ? undefined : runFilesOf(output).rejects);
      if (rows.rejected > 0 && rejects !== undefined && held.output.path !== undefined)
        log.info({ rejects }, describeRejects({ ...scoring, address, rejects, env: context.env }));
      return exit_code ?? ExitCode.done;
    } finally {
      stop.removeEventListener('abort', progress.close);
      progress.close();
    }
  });
}

/** @throws RowcastError `usage` */
export function reportOf({ report }: Pick<ScoreValues, 'report'>): string {
  if (report !== undefined) return report;
  throw new RowcastError('usage', 'no report given; use --report ID', {
    hint: 'rowcast reports lists the local reports.',
  });
}

/** The same with an open service. */
export async function scoreWith(
  context: Context,
  scoring: Scoring,
  { scorer, progress, budget }: ScoringMeans,
): Promise<Summary> {
  const { log } = context;
  const { values, input, held, record, stop } = scoring;
  record.service = scorer.name;
  record.statistics = scorer.statistics;
  const options = { ...values, report: reportOf(values), input };
  const scored = await scoreTo(held, options, scorer, watchOf(context, scoring, progress), {
    attempt: record.newRun,
    budget,
  });
  progress.close();
  if (scored === undefined) {
    log.info(`${values.output} already exists; skipped`);
    return record.end('skipped', ExitCode.done, stop);
  }
  Object.assign(record, scored);
  const code = codeOf(values, scored.accounts);
  const summary = await record.end('finished', code, stop);
  log.info({ summary }, describeSummary(summary));
  return summary;
}

/** The exit code of a finished run. */
export function codeOf(
  { rejectsOk }: Pick<ScoreValues, 'rejectsOk'>,
  accounts: Pick<Accounts, 'read' | 'rejected'>,
): number {
  const isFine = accounts.rejected === 0 || (rejectsOk !== undefined && !exceeds(rejectsOk, accounts));
  return isFine ? ExitCode.done : ExitCode.someRejected;
}

/** Keeps the record up to date and logs events. */
function watchOf(
  { log, commandLine }: Context,
  { values: { output, rejects }, input, record, stop }: Scoring,
  progress: Progress,
): RunObserver {
  return {
    stop,
    onBegin: (attempt: Attempt) => {
      record.attempt = attempt;
    },
    onProgress: (now: RunProgress) => {
      record.accounts = now.accounts;
      record.classes = now.classes;
      record.kept = () => now.resumePoint()?.accounts;
      progress.show(seconds => progressLine(now, seconds));
    },
    onReject: rejectLines(output === '-' && rejects === undefined, (fields, line) => {
      progress.close();
      log.warn(fields, line);
    }),
    onLongField: (field: LongField) => {
      progress.close();
      const [fields, message] = longFieldLine(input === '-' ? 'stdin' : input, field);
      record.warnings.push({ code: 'long_field', message });
      log.warn(fields, message);
    },
    onResume: ({ row, accounts }: ResumePoint) => {
      record.resumedFrom = row;
      record.accounts = accounts;
      log.info(`resuming at row ${counted(row)} from the last checkpoint`);
    },
    onSuspend: ({ row, accounts }: ResumePoint) => {
      record.accounts = accounts;
      progress.close();
      log.info(`checkpoint saved at row ${counted(row - 1)}; to resume, run: ${commandLine}`);
    },
  };
}
