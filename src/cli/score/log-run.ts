import type { Logger } from 'pino';
import { counted, durationOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { reasonText } from '../../formats/records/reject.ts';
import type { Waiting } from '../../runs/input-wait.ts';
import { longFieldLine } from '../../runs/input-warnings.ts';
import type { RunObserver } from '../../runs/observer.ts';
import { type DriftLine, dataNotes } from '../../runs/observers/drift.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { LOCAL, type Scorer } from '../../scoring/scorer.ts';
import type { Context } from '../context.ts';
import type { LogFields } from '../terminal/log.ts';
import { orderText } from '../terminal/reuse/unsent-text.ts';
import { describeSummary } from '../terminal/summary-text.ts';

/** A report for people: `local report churn`, or `report churn at http://…`. */
export const nameReport = (report: string, { name }: Pick<Scorer, 'name'>): string =>
  name === LOCAL ? `local report ${report}` : `report ${report} at ${name}`;

export interface RunLogOptions {
  report: string;
  /** Names of input and output, as given. */
  input: string;
  output: string;
  /** Whether the run is one of several, whose command says when it starts. */
  isPart: boolean;
  /** Where the rejects of the run are, if they are in a file, and a text that says so. */
  rejects?: { path: string; describe: (summary: Summary) => string } | undefined;
}

/** Logs how a run starts, resumes, is suspended and ends. */
export function runLog(
  { log, commandLine }: Pick<Context, 'log' | 'commandLine'>,
  { report, input, output, isPart, rejects }: RunLogOptions,
): RunObserver {
  const file = input === '-' ? 'stdin' : input;
  let last: Summary | undefined;
  let isDurable = false;
  let wasScoredBefore = false;
  return {
    begin(_, files) {
      isDurable = files.output?.durable !== undefined;
      if (input === '-' && process.stdin.isTTY)
        log.info(
          { event: 'input_from_terminal' },
          'reading personas from the terminal; press Ctrl-D to end the input',
        );
    },
    ready(_, scorer) {
      if (!isPart)
        log.info(
          { event: 'run_started', report, service: scorer.name, output },
          `scoring ${file} with ${nameReport(report, scorer)}`,
        );
    },
    reuses: (reused, order) => log.info({ event: 'reusing', file: reused, order }, orderText(reused, order)),
    longField(field) {
      const [fields, message] = longFieldLine(file, field);
      log.warn({ event: 'long_field', ...fields }, message);
    },
    warned({ code, message, ...fields }) {
      // The log of one of several files begins its lines with the name.
      const named = `${sanitize(file)}: `;
      const isNamedTwice = isPart && message.startsWith(named);
      log.warn({ event: code, ...fields }, isNamedTwice ? message.slice(named.length) : message);
    },
    rejected({ code, line, row }) {
      if (code !== 'scored_before' || wasScoredBefore) return;
      wasScoredBefore = true;
      const hint = 'Score the file from which the output was made.';
      log.warn(
        { event: 'scored_before', code, file, line, row, hint },
        `${sanitize(file)}:${line}: the line seems to have been scored before, because a member begins with "probability_"; such lines are rejects (reported once per run)`,
      );
    },
    setAside: () =>
      log.warn(
        { event: 'run_set_aside' },
        `${sanitize(output)}: the unfinished run is of different work, so it is kept as ${sanitize(output)}.partial.old until this one finishes, which begins with the first row`,
      ),
    resumed: ({ row }) =>
      log.info({ event: 'run_resumed', row }, `resuming at row ${counted(row)} from the last checkpoint`),
    suspended({ row }, needsRestart) {
      const isResumed = commandLine !== '' && !needsRestart;
      const resume = isResumed ? `; to resume, run: ${commandLine}` : '';
      log.info(
        { event: 'run_suspended', row, ...(isResumed && { command: commandLine }) },
        `checkpoint saved at row ${counted(row - 1)}${resume}`,
      );
    },
    ended(summary) {
      last = summary;
    },
    // Now the output of a pipe has ended, too.
    close() {
      const isNamed = last?.warnings.some(({ code }) => code === 'same_as_last');
      if (last?.status === 'skipped' && !isNamed)
        log.info({ event: 'run_skipped', output }, `${output} already exists; skipped`);
      if (last?.status !== 'finished') return;
      log.info({ event: 'run_finished', summary: last }, describeSummary(last));
      if (last.rows.rejected > 0 && isDurable && rejects !== undefined)
        log.info({ event: 'rejects_left', rejects: rejects.path }, rejects.describe(last));
    },
  };
}

/** @param isPart whether it is of one of several files, which is of interest only if something has changed */
export function logDrift(
  log: Pick<Logger, 'info' | 'warn'>,
  { line, psi, isWarning }: DriftLine,
  isPart: boolean,
): void {
  if (isWarning) log.warn({ event: 'drift', psi }, line);
  else if (!isPart) log.info({ event: 'drift', psi }, line);
}

/** Logs what is noticeable about the data of a run. */
export const logData = (log: Logger, isPart: boolean): RunObserver =>
  dataNotes(
    line => log.warn({ event: 'unknown_values' }, line),
    line => logDrift(log, line, isPart),
  );

/** Gives every log line the id of the run, which changes if an unfinished run is set aside. */
export const logRunId = (logFields: LogFields): RunObserver => ({
  begin({ attempt }) {
    logFields.run_id = attempt.runId;
  },
  opened({ attempt }) {
    logFields.run_id = attempt.runId;
  },
  ended({ run_id }) {
    logFields.run_id = run_id;
  },
});

/** Logs what the run itself warns of, and that its summary could not be written. */
export const logRunWarnings = (log: Pick<Logger, 'warn'>): RunObserver => ({
  noted: ({ code, message }) => log.warn({ event: code }, message),
  unwritten: reason => log.warn({ event: 'summary_not_written' }, `cannot write the summary: ${reason}`),
});

/** How many rejects are logged one by one if there is no rejects file. */
const MAX_LISTED = 20;

/**
 * Logs rejects: line, code and reason, but not the row, although a service's reason may quote it.
 *
 * @param input its name
 * @param inFile whether they go to a file; then it logs only the first one of each hint
 */
export function rejectLog(log: Logger, input: string, inFile: boolean): RunObserver {
  let count = 0;
  const hints = new Set<string>();
  return {
    rejected({ row, line, code, ...why }) {
      if (inFile && (why.hint === undefined || hints.has(why.hint))) return;
      if (why.hint !== undefined) hints.add(why.hint);
      count++;
      if (count <= MAX_LISTED)
        log.warn(
          { event: 'reject', row, line, code },
          `${input}:${line}: row rejected: ${sanitize(reasonText(why))}`,
        );
      if (count === MAX_LISTED + 1)
        log.warn(
          { event: 'rejects_not_listed' },
          'further rejects are counted but not listed; use --rejects FILE to keep them',
        );
    },
  };
}

/** Time between two lines about the same. */
const AGAIN_MS = 600_000;

/** Logs what a run waits for: at once, and then seldom. */
export function waitingLog(log: Logger): (waiting: Waiting) => void {
  let last = '';
  let loggedAt = 0;
  return ({ file, why, left }) => {
    const now = performance.now();
    if (last === file + why && now - loggedAt < AGAIN_MS) return;
    [last, loggedAt] = [file + why, now];
    log.info(
      { event: 'waiting_for_input', file, why, left_s: Math.round(left) },
      `waiting for ${sanitize(file)}: ${why}; for up to ${durationOf(left)} (--wait-for-input)`,
    );
  };
}
