import { counted } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import { longFieldLine } from '../../runs/input-warnings.ts';
import type { RunObserver } from '../../runs/observer.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { Context } from '../context.ts';
import { nameReport } from '../service.ts';
import { describeSummary } from '../terminal/summary-text.ts';

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
