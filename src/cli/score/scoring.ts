import { ExitCode } from '../../library/run/exit-code.ts';
import { reportOf, type ScoringMeans, scoreRecorded } from '../../library/run/score-recorded.ts';
import type { Scoring } from '../../library/run/score-values.ts';
import type { Address } from '../../library/service/choose-service.ts';
import { withScorer } from '../../library/service/with-scorer.ts';
import { runFilesOf } from '../../runs/paths/run-files.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { checkStdout } from '../closed-stdout.ts';
import { reportedRequests } from '../connect.ts';
import type { Context } from '../context.ts';
import { describeRejects } from '../repair-commands.ts';
import { nameReport } from '../service.ts';
import { openProgress, type Progress, progressMode } from '../terminal/progress.ts';
import { describeSummary } from '../terminal/summary-text.ts';
import { logDrift } from './log-drift.ts';
import { watchRun } from './watch-run.ts';

/** What a run is scored with, and where its progress is shown. */
export interface Means extends ScoringMeans {
  progress: Progress;
}

/**
 * Opens the service, scores, logs progress and result to stderr, and keeps them in the record.
 *
 * @returns the exit code
 */
export async function scoreReporting(context: Context, scoring: Scoring, address: Address): Promise<number> {
  const { flags, env, log, logFormat } = context;
  const { values, input, held, stop } = scoring;
  const { output } = values;
  const report = reportOf(values);
  checkStdout([held.output, held.rejects, held.summary]);
  if (input === '-' && process.stdin.isTTY)
    log.info(
      { event: 'input_from_terminal' },
      'reading personas from the terminal; press Ctrl-D to end the input',
    );
  return withScorer({ values, address, env, ...reportedRequests(context, values), stop }, async scorer => {
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
        log.info({ event: 'rejects_left', rejects }, describeRejects({ ...scoring, address, rejects, env }));
      return exit_code ?? ExitCode.done;
    } finally {
      stop.removeEventListener('abort', progress.close);
      progress.close();
    }
  });
}

/** The same with an open service. */
export async function scoreWith(
  context: Context,
  scoring: Scoring,
  { progress, ...means }: Means,
): Promise<Summary> {
  const { log } = context;
  const { output } = scoring.values;
  const summary = await scoreRecorded(scoring, means, {
    ...watchRun(context, scoring, progress),
    onDrift: line => logDrift(log, line, means.total !== undefined),
  });
  progress.close();
  if (summary.status === 'skipped')
    log.info({ event: 'run_skipped', output }, `${output} already exists; skipped`);
  else log.info({ event: 'run_finished', summary }, describeSummary(summary));
  return summary;
}
