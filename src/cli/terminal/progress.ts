import type { CallStatistics } from '../../base/contract/call-statistics.ts';
import { counted, countOf, durationOf, sizeOf } from '../../base/number-text.ts';
import { logOptions, progressOptions } from '../../base/options/observability.ts';
import { resolveValues } from '../../base/options/values/resolve-options.ts';
import type { RunObserver, RunProgress, RunView } from '../../runs/observer.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import type { Context } from '../context.ts';
import { liveLines, type ProgressLine } from './live-lines.ts';
import type { LogFormat } from './log.ts';
import { unsentCells, unsentCounts } from './reuse/unsent-text.ts';

/** Reports the progress of a command: on a terminal in a line that is redrawn, elsewhere in a log line now and then. */
export interface ProgressDisplay {
  /** @param report returns what to say, given the seconds since it was opened; called again until there is another */
  show(report: (seconds: number) => ProgressReport): void;
  /** Removes the line. */
  close(): void;
  /** Seconds since it was opened. */
  seconds(): number;
}

export interface ProgressOptions {
  /** Where the command's result goes, `-` for stdout; by default nowhere before the command ends. */
  output?: string;
  /** What is in progress, if there are several lines; the log says it anyway. */
  name?: string;
  /** Whether the line is the total of several. */
  isTotal?: boolean;
}

/** What decides how progress is shown. */
export type ProgressContext = Pick<Context, 'flags' | 'log' | 'logFormat'>;

/** Which of the process's streams are a terminal. */
interface Terminals {
  stdout: boolean;
  stderr: boolean;
}

/**
 * Whether a line may be redrawn: only on a terminal, and not among output rows on the same terminal or lines of JSON.
 */
export function isRedrawn(
  { when, output, logFormat }: { when: 'auto' | 'always' | 'never'; output: string; logFormat: LogFormat },
  isTerminal: Terminals,
): boolean {
  if (when === 'never' || logFormat === 'json') return false;
  if (when === 'always') return true;
  return isTerminal.stderr && !isOnTerminal(output, isTerminal);
}

/** Whether the rows go to the terminal that shows the log. */
const isOnTerminal = (output: string, { stdout }: Terminals): boolean =>
  /^\/dev\/(stderr|fd\/2|tty)$/.test(output) || (stdout && /^(-|\/dev\/(stdout|fd\/1))$/.test(output));

/** Opens the progress of a command on stderr, if it may be shown. */
export function openProgress(
  { flags, log, logFormat }: ProgressContext,
  { name, isTotal, output = '' }: ProgressOptions = {},
): ProgressDisplay {
  const options = { ...progressOptions, quiet: logOptions.quiet };
  const { quiet, progress, progressInterval: interval } = resolveValues(options, flags);
  const when = quiet ? 'never' : progress;
  const isTerminal = { stdout: process.stdout.isTTY, stderr: process.stderr.isTTY && !isDumb() };
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  let report: ((seconds: number) => ProgressReport) | undefined;
  let close = (): void => {};
  if (isRedrawn({ when, output, logFormat }, isTerminal)) {
    const line = (): ProgressLine | undefined =>
      report === undefined ? waitingLine(name) : { name, ...report(seconds()) };
    close = liveLines().open(line, isTotal);
  } else if (when !== 'never' && !(process.stderr.isTTY && isOnTerminal(output, isTerminal))) {
    const timer = setInterval(() => {
      if (report === undefined) return;
      const { name: total = '', cells, fields } = report(seconds());
      const shown = [total, ...cells].filter(cell => cell !== '');
      log.info({ event: 'progress', ...fields }, shown.join('  '));
    }, interval * 1000).unref();
    close = () => clearInterval(timer);
  }
  return {
    seconds,
    show(next) {
      report = next;
    },
    close: () => close(),
  };
}

/** A terminal that cannot move its cursor. */
const isDumb = (): boolean => process.env.TERM === 'dumb';

/** One of several files has its place from the start, so that the other lines do not move. */
const waitingLine = (name: string | undefined): ProgressLine | undefined =>
  name === undefined ? undefined : { name, cells: ['', 'starting'] };

/**
 * Shows how far a run is.
 *
 * @param stop aborted by a signal; nothing is shown after it
 */
export function progressLine(
  context: ProgressContext,
  options: ProgressOptions,
  stop: AbortSignal,
): RunObserver {
  let progress: ProgressDisplay | undefined;
  let run: RunView | undefined;
  const close = (): void => {
    stop.removeEventListener('abort', close);
    progress?.close();
  };
  return {
    ready(view) {
      run = view;
      progress = openProgress(context, options);
      if (stop.aborted) close();
      else stop.addEventListener('abort', close);
    },
    progress: now =>
      progress?.show(seconds =>
        progressText(now, seconds, run?.service === LOCAL ? undefined : run?.statistics),
      ),
    suspended: close,
    scored: close,
    close,
  };
}

/** What a progress line says: as text, and as members of a JSON line. */
export interface ProgressReport {
  /** Replaces that of the line. */
  name?: string;
  /** In order of importance; an empty one is not known, or there is nothing to say. */
  cells: readonly string[];
  fields: Readonly<Record<string, unknown>>;
}

/**
 * For example `31%  1,250,000 rows  212,000 rows/s  about 12 s left  1 reject  2 retries  16 in flight`. Rate and
 * remaining time are of this process.
 *
 * @param seconds since this process started
 * @param statistics undefined if nothing is requested from a service
 */
export function progressText(
  { rowCounts, fraction, before }: Pick<RunProgress, 'rowCounts' | 'fraction' | 'before'>,
  seconds: number,
  statistics: Pick<CallStatistics, 'inFlight'> | undefined,
): ProgressReport {
  const rate = (rowCounts.read - before.read) / seconds;
  const left = secondsLeft(fraction, seconds, before.fraction);
  const retries = Object.values(rowCounts.retries).reduce((sum, count) => sum + count, 0);
  const { read, scored, rejected } = rowCounts;
  const inFlight = statistics?.inFlight ?? 0;
  return {
    cells: [
      fraction === undefined ? '' : progressPercent(fraction),
      countOf(rowCounts.read, 'row'),
      `${counted(rate)} rows/s`,
      left === undefined ? '' : `about ${durationOf(left)} left`,
      ...unsentCells(rowCounts),
      rejected === 0 ? '' : countOf(rejected, 'reject'),
      retries === 0 ? '' : retries === 1 ? '1 retry' : `${counted(retries)} retries`,
      statistics === undefined ? '' : `${inFlight} in flight`,
    ],
    fields: {
      rows: { read, scored, ...unsentCounts(rowCounts), rejected },
      percent: fraction === undefined ? null : Math.floor(100 * fraction),
      rows_per_second: Math.round(rate),
      eta_seconds: left === undefined ? null : Math.ceil(left),
      in_flight: inFlight,
      retries,
    },
  };
}

/** For example `comparing models  12 s`. */
export const stepReport = (step: string, seconds: number): ProgressReport => ({
  cells: [step, durationOf(seconds)],
  fields: { step },
});

/** For example `31%  31.2 MB sent  40.1 MB back  about 12 s left`; `fraction` is how much of the input was sent. */
export function transferReport(
  { sent, received }: { sent: number; received: number },
  fraction: number | undefined,
  seconds: number,
): ProgressReport {
  const left = secondsLeft(fraction, seconds);
  return {
    cells: [
      fraction === undefined ? '' : progressPercent(fraction),
      `${sizeOf(sent)} sent`,
      `${sizeOf(received)} back`,
      left === undefined ? '' : `about ${durationOf(left)} left`,
    ],
    fields: { bytes_sent: sent, bytes_received: received },
  };
}

export const progressPercent = (fraction: number): string => `${Math.floor(100 * fraction)}%`;

/**
 * @param begun the fraction that earlier processes of the run did
 * @returns undefined while nothing is done, because the time for the header says nothing about the rate of rows
 */
function secondsLeft(fraction: number | undefined, seconds: number, begun = 0): number | undefined {
  if (fraction === undefined || fraction <= begun) return undefined;
  return (seconds * (1 - fraction)) / (fraction - begun);
}
