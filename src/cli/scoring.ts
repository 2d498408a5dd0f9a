import type { Client } from '../client/client.ts';
import type { runOptions } from '../config/options/score.ts';
import { exceeds } from '../config/reject-limit.ts';
import type { Values } from '../config/resolve-options.ts';
import type { Wire } from '../contract/wire-names.ts';
import { RowcastError } from '../errors.ts';
import type { LongField } from '../formats/csv/records/long-field.ts';
import type { Attempt } from '../runs/attempt.ts';
import type { ResumePoint } from '../runs/output/output.ts';
import type { LockedPaths } from '../runs/paths/lock-paths.ts';
import { runFilesOf } from '../runs/paths/run-files.ts';
import type { RunObserver, RunProgress } from '../scoring/observer.ts';
import { scoreTo } from '../scoring/score.ts';
import type { Scorer } from '../scoring/scorer.ts';
import type { Address } from './choose-service.ts';
import { checkStdout } from './closed-stdout.ts';
import { withClient } from './connect.ts';
import type { Context } from './context.ts';
import { ExitCode } from './exit-codes.ts';
import { longFieldLine } from './long-field-line.ts';
import { rejectLines } from './reject-lines.ts';
import { describeRejects } from './repair-commands.ts';
import { nameReport } from './service.ts';
import type { RunRecord } from './summary-file.ts';
import { counted, openProgress, type Progress, progressLine } from './terminal/progress.ts';
import { describeSummary } from './terminal/summary-text.ts';

export type ScoreValues = Values<typeof runOptions>;

/** A scoring run whose files are locked. */
export interface Scoring {
  values: ScoreValues;
  /** A path, or `-` for stdin. */
  input: string;
  address: Address;
  held: LockedPaths;
  record: RunRecord;
  /** Aborted by the first signal. */
  stop: AbortSignal;
}

/**
 * Scores, logs progress and result to stderr, and keeps them in the record.
 *
 * @returns the exit code
 */
export async function scoreReporting(context: Context, scoring: Scoring): Promise<number> {
  const { log, logFormat } = context;
  const { values, input, held, record, stop } = scoring;
  const { report, output } = values;
  if (report === undefined)
    throw new RowcastError('usage', 'no report given; use --report ID', {
      hint: 'rowcast reports lists the local reports.',
    });
  checkStdout([held.output, held.rejects, held.summary]);
  if (input === '-' && process.stdin.isTTY)
    log.info('reading personas from the terminal; press Ctrl-D to end the input');
  return withScorer(scoring, context, async scorer => {
    record.service = scorer.name;
    record.statistics = scorer.statistics;
    const progress = openProgress({ output, logFormat });
    stop.addEventListener('abort', progress.close);
    log.info(`scoring ${input === '-' ? 'stdin' : input} with ${nameReport(report, scorer)}`);
    try {
      const watch = watchOf(context, scoring, progress);
      const scored = await scoreTo(held, { ...values, report, input }, scorer, watch, {
        attempt: record.newRun,
      });
      progress.close();
      if (scored === undefined) {
        log.info(`${output} already exists; skipped`);
        await record.end('skipped', ExitCode.done, stop);
        return ExitCode.done;
      }
      const { accounts } = scored;
      Object.assign(record, scored);
      const isFine = accounts.rejected === 0 || (values.rejectsOk && !exceeds(values.rejectsOk, accounts));
      const code = isFine ? ExitCode.done : ExitCode.someRejected;
      const summary = await record.end('finished', code, stop);
      log.info({ summary }, describeSummary(summary));
      const rejects = values.rejects ?? (output === '-' ? undefined : runFilesOf(output).rejects);
      if (accounts.rejected > 0 && rejects !== undefined && held.output.path !== undefined)
        log.info({ rejects }, describeRejects({ ...scoring, rejects, env: context.env }));
      return code;
    } finally {
      stop.removeEventListener('abort', progress.close);
      progress.close();
    }
  });
}

/** Opens the scorer of a run, and closes it afterwards. */
async function withScorer<T>(
  { values, address, stop }: Scoring,
  { env, log }: Context,
  use: (scorer: Client | Scorer) => Promise<T>,
): Promise<T> {
  const { concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage, threads } = values;
  if (address.kind === 'remote') {
    const wire = values.wire as Partial<Wire> | undefined; // a definition's, which its schema checked
    const pace = { concurrency, maxRequestsPerSecond, maxRowsPerSecond, maxOutage };
    return withClient(address, { values, pace, wire, env, log, stop }, use);
  }
  // Loaded only when it is needed.
  const { LocalScorer } = await import('../local/local-scorer.ts');
  const scorer = await LocalScorer.open({ home: address.home, threads, maxRowsPerSecond });
  try {
    return await use(scorer);
  } finally {
    await scorer.close();
  }
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
