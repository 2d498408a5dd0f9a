import type { Accounts } from '../pipeline/accounts.ts';

export interface Progress {
  /** @param share how much of the input was scored, 0 to 1, where that is known */
  update(accounts: Accounts, share: number | undefined): void;
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
    update(accounts, share) {
      const now = performance.now();
      if (!stderr.isTTY || now - shownAt < EVERY_MS) return;
      shownAt = now;
      isShown = true;
      stderr.write(`\r\x1b[2K${progressLine(accounts, share, seconds())}`);
    },
    close() {
      if (isShown) stderr.write('\r\x1b[2K');
      isShown = false;
    },
  };
}

/** For example `1,250,000 rows  212,000 rows/s  31 %  about 12 s left`. */
export function progressLine(accounts: Accounts, share: number | undefined, seconds: number): string {
  const parts = [`${counted(accounts.scored)} rows`, `${counted(accounts.scored / seconds)} rows/s`];
  if (share !== undefined && share > 0) {
    parts.push(`${Math.floor(100 * share)} %`, `about ${durationOf((seconds * (1 - share)) / share)} left`);
  }
  return parts.join('  ');
}

export const counted = (count: number): string => Math.round(count).toLocaleString('en-US');

function durationOf(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
