import type { RunProgress } from '../../scoring/observer.ts';
import type { LogFormat } from './log.ts';

export interface Progress {
  /** @param lineOf returns the line, given the seconds since it was opened */
  show(lineOf: (seconds: number) => string): void;
  /** Removes the line. */
  close(): void;
  /** Seconds since it was opened. */
  seconds(): number;
}

const EVERY_MS = 200;

/** What a progress line must not interfere with. */
export interface ProgressOptions {
  /** Where the command's result goes, `-` for stdout. */
  output: string;
  logFormat: LogFormat;
}

/** Which of the process's streams are a terminal. */
interface Terminals {
  stdout: boolean;
  stderr: boolean;
}

/**
 * Whether a progress line may be shown: only on a terminal, and not among output rows on the same terminal or lines of
 * JSON.
 */
export function showsProgress({ output, logFormat }: ProgressOptions, isTerminal: Terminals): boolean {
  if (!isTerminal.stderr || logFormat === 'json') return false;
  if (/^\/dev\/(stderr|fd\/2|tty)$/.test(output)) return false;
  return !(isTerminal.stdout && /^(-|\/dev\/(stdout|fd\/1))$/.test(output));
}

/** Opens a progress line on stderr, if it may be shown. */
export function openProgress(options: ProgressOptions): Progress {
  const { stderr, stdout } = process;
  const isWanted = showsProgress(options, { stdout: stdout.isTTY, stderr: stderr.isTTY });
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  let shownAt = begun;
  let isShown = false;
  return {
    seconds,
    show(lineOf) {
      const now = performance.now();
      if (!isWanted || now - shownAt < EVERY_MS) return;
      shownAt = now;
      isShown = true;
      stderr.write(`\r\x1b[2K${lineOf(seconds())}`);
    },
    close() {
      if (isShown) stderr.write('\r\x1b[2K');
      isShown = false;
    },
  };
}

/**
 * For example `1,250,000 rows  212,000 rows/s  31%  about 12 s left`. Rate and remaining time are of this process.
 *
 * @param seconds since this process started
 */
export function progressLine(
  { accounts, fraction, before }: Omit<RunProgress, 'resumePoint'>,
  seconds: number,
): string {
  const rate = (accounts.scored - before.scored) / seconds;
  const parts = [`${counted(accounts.scored)} rows`, `${counted(rate)} rows/s`];
  return [...parts, ...shareParts(fraction, seconds, before.fraction)].join('  ');
}

/** For example `comparing models  12 s`. */
export const stepLine = (step: string, seconds: number): string => `${step}  ${durationOf(seconds)}`;

/** For example `31.2 MB sent  40.1 MB back  31%  about 12 s left`; `fraction` is how much of the input was sent. */
export function transferLine(
  { sent, received }: { sent: number; received: number },
  fraction: number | undefined,
  seconds: number,
): string {
  const parts = [`${megabytes(sent)} sent`, `${megabytes(received)} back`];
  return [...parts, ...shareParts(fraction, seconds)].join('  ');
}

/** @param begun the fraction that earlier processes of the run did */
function shareParts(fraction: number | undefined, seconds: number, begun = 0): string[] {
  if (fraction === undefined) return [];
  const percent = `${Math.floor(100 * fraction)}%`;
  // The time for the header says nothing about the rate of rows.
  const done = fraction - begun;
  return done > 0 ? [percent, `about ${durationOf((seconds * (1 - fraction)) / done)} left`] : [percent];
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** For example `1 blank line`, `2,000 rows`. */
export const countOf = (count: number, noun: string): string =>
  `${counted(count)} ${noun}${count === 1 ? '' : 's'}`;

// `toLocaleString` would load tables, which takes as long as a small run.
export const counted = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
