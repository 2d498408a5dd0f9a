import type { Client } from '../client/client.ts';
import { exceeds } from '../config/reject-limit.ts';
import { misfitLine } from '../drift/misfit-line.ts';
import { RowcastError } from '../errors.ts';
import type { Accounts } from '../runs/accounts.ts';
import { runFilesOf } from '../runs/paths/run-files.ts';
import type { Summary } from '../runs/summary.ts';
import type { RejectBudget } from '../scoring/reject-budget.ts';
import { type RunResult, scoreTo } from '../scoring/score.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { Address } from './choose-service.ts';
import { checkStdout } from './closed-stdout.ts';
import type { Context } from './context.ts';
import { ExitCode } from './exit-codes.ts';
import { describeRejects } from './repair-commands.ts';
import type { ScoreValues, Scoring } from './score/score-values.ts';
import { watchRun } from './score/watch-run.ts';
import { withScorer } from './score/with-scorer.ts';
import { nameReport } from './service.ts';
import { openProgress, type Progress, progressMode } from './terminal/progress.ts';
import { describeSummary } from './terminal/summary-text.ts';

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
  const { flags, log, logFormat } = context;
  const { values, input, held, stop } = scoring;
  const { output } = values;
  const report = reportOf(values);
  checkStdout([held.output, held.rejects, held.summary]);
  if (input === '-' && process.stdin.isTTY)
    log.info(
      { event: 'input_from_terminal' },
      'reading personas from the terminal; press Ctrl-D to end the input',
    );
  return withScorer({ values, address, stop }, context, async scorer => {
    const progress = openProgress({ ...progressMode(flags), output, logFormat, log });
    stop.addEventListener('abort', progress.close);
    log.info(
      { event: 'run_started', report, service: scorer.name, output },
      `scoring ${input === '-' ? 'stdin' : input} with ${nameReport(report, scorer)}`,
    );
    try {
      const { exit_code, rows } = await scoreWith(context, scoring, { scorer, progress });
      const rejects = values.rejects ?? (output === '-' ? undefined : runFilesOf(output).rejects);
      if (rows.rejected > 0 && rejects !== undefined && held.output.path !== undefined)
        log.info(
          { event: 'rejects_left', rejects },
          describeRejects({ ...scoring, address, rejects, env: context.env }),
        );
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
  const scored = await scoreTo(held, options, scorer, watchRun(context, scoring, progress), {
    attempt: record.newRun,
    budget,
  });
  progress.close();
  if (scored === undefined) {
    log.info({ event: 'run_skipped', output: values.output }, `${values.output} already exists; skipped`);
    return record.end('skipped', ExitCode.done, stop);
  }
  Object.assign(record, { ...scored, figures: () => scored.figures });
  warnOfMisfits(context, scoring, scored);
  const code = codeOf(values, scored.accounts);
  const summary = await record.end('finished', code, stop);
  log.info({ event: 'run_finished', summary }, describeSummary(summary));
  return summary;
}

/** Warns of values that the model does not know: a run is never silent about them. */
function warnOfMisfits({ log }: Context, { record }: Scoring, { figures, accounts }: RunResult): void {
  const line = figures && misfitLine(figures.columns, accounts.read);
  if (line === undefined) return;
  record.warnings.push({ code: 'unknown_values', message: line });
  log.warn({ event: 'unknown_values' }, line);
}

/** The exit code of a finished run. */
export function codeOf(
  { rejectsOk }: Pick<ScoreValues, 'rejectsOk'>,
  accounts: Pick<Accounts, 'read' | 'rejected'>,
): number {
  const isFine = accounts.rejected === 0 || (rejectsOk !== undefined && !exceeds(rejectsOk, accounts));
  return isFine ? ExitCode.done : ExitCode.someRejected;
}
