import type { Accounts } from '../pipeline/accounts.ts';

export interface Progress {
  /** @param lineOf the line now, by the seconds since it was opened */
  show(lineOf: (seconds: number) => string): void;
  /** Takes the line away. */
  close(): void;
  /** Seconds since it was opened. */
  seconds(): number;
}

const EVERY_MS = 200;

/** A line on stderr that says how far the run is; only on a terminal. */
export function openProgress(): Progress {
  const { stderr } = process;
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  let shownAt = begun;
  let isShown = false;
  return {
    seconds,
    show(lineOf) {
      const now = performance.now();
      if (!stderr.isTTY || now - shownAt < EVERY_MS) return;
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
 * For example `1,250,000 rows  212,000 rows/s  31 %  about 12 s left`.
 *
 * @param share how much of the input was scored, 0 to 1, where that is known
 */
export function progressLine(accounts: Accounts, share: number | undefined, seconds: number): string {
  const parts = [`${counted(accounts.scored)} rows`, `${counted(accounts.scored / seconds)} rows/s`];
  return [...parts, ...shareParts(share, seconds)].join('  ');
}

/** For example `31.2 MB sent  40.1 MB back  31 %  about 12 s left`; `share` is how much of the input was sent. */
export function transferLine(
  { sent, received }: { sent: number; received: number },
  share: number | undefined,
  seconds: number,
): string {
  const parts = [`${megabytes(sent)} sent`, `${megabytes(received)} back`];
  return [...parts, ...shareParts(share, seconds)].join('  ');
}

function shareParts(share: number | undefined, seconds: number): string[] {
  if (share === undefined || share === 0) return [];
  return [`${Math.floor(100 * share)} %`, `about ${durationOf((seconds * (1 - share)) / share)} left`];
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

// Not by `toLocaleString`: loading its tables takes as long as a small run.
export const counted = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',');

function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
