import type { CallStatistics } from '../../base/contract/call-statistics.ts';
import { counted, countOf, durationOf, sizeOf } from '../../base/number-text.ts';
import type { RunProgress } from '../../runs/observer.ts';

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
  const { rejected } = rowCounts;
  const inFlight = statistics?.inFlight ?? 0;
  return {
    cells: [
      fraction === undefined ? '' : progressPercent(fraction),
      countOf(rowCounts.read, 'row'),
      `${counted(rate)} rows/s`,
      left === undefined ? '' : `about ${durationOf(left)} left`,
      rejected === 0 ? '' : countOf(rejected, 'reject'),
      retries === 0 ? '' : retries === 1 ? '1 retry' : `${counted(retries)} retries`,
      statistics === undefined ? '' : `${inFlight} in flight`,
    ],
    fields: {
      rows: { read: rowCounts.read, scored: rowCounts.scored, rejected },
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
