import type { Logger } from 'pino';
import { progressOptions } from '../../config/options/observability.ts';
import { resolveValues } from '../../config/resolve-options.ts';
import { liveLines } from './live-lines.ts';
import type { LogFormat } from './log.ts';
import type { ProgressReport } from './progress-text.ts';

/** Reports the progress of a command: on a terminal in a line that is redrawn, elsewhere in a log line now and then. */
export interface Progress {
  /** @param report returns what to say, given the seconds since it was opened; called again until there is another */
  show(report: (seconds: number) => ProgressReport): void;
  /** Removes the line. */
  close(): void;
  /** Seconds since it was opened. */
  seconds(): number;
}

/** How a command reports progress. */
export interface ProgressMode {
  when: 'auto' | 'always' | 'never';
  /** Seconds between log lines. */
  interval: number;
}

/** Of the flags; --quiet logs no progress. */
export function progressMode(flags: Readonly<Record<string, unknown>>): ProgressMode {
  const { quiet, progress, progressInterval } = resolveValues(progressOptions, flags);
  return { when: quiet ? 'never' : progress, interval: progressInterval };
}

export interface ProgressOptions extends ProgressMode {
  /** Where the command's result goes, `-` for stdout. */
  output: string;
  /** What is in progress, if the line has to say so; the log says it anyway. */
  name?: string | undefined;
  logFormat: LogFormat;
  log: Pick<Logger, 'info'>;
}

/** Which of the process's streams are a terminal. */
interface Terminals {
  stdout: boolean;
  stderr: boolean;
}

const REDRAW_MS = 250;

/**
 * Whether a line may be redrawn: only on a terminal, and not among output rows on the same terminal or lines of JSON.
 */
export function isRedrawn(
  { when, output, logFormat }: Pick<ProgressOptions, 'when' | 'output' | 'logFormat'>,
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
export function openProgress(options: ProgressOptions): Progress {
  const { when, interval, log, name, output } = options;
  const terminals = { stdout: process.stdout.isTTY, stderr: process.stderr.isTTY };
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  const key = {};
  const lines = liveLines();
  let report: ((seconds: number) => ProgressReport) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const every = (ms: number, act: (report: ProgressReport) => void): void => {
    timer = setInterval(() => report && act(report(seconds())), ms).unref();
  };
  if (isRedrawn(options, terminals)) {
    every(REDRAW_MS, ({ text }) => lines.set(key, name === undefined ? text : `${name}  ${text}`));
  } else if (when !== 'never' && !(terminals.stderr && isOnTerminal(output, terminals)))
    every(interval * 1000, ({ text, fields }) => log.info({ event: 'progress', ...fields }, text));
  return {
    seconds,
    show(next) {
      report = next;
    },
    close() {
      clearInterval(timer);
      lines.remove(key);
    },
  };
}
