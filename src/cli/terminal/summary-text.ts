import { isAbsolute, relative } from 'node:path';
import { counted, countOf } from '../../base/number-text.ts';
import { sanitize } from '../../base/sanitize.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { reusedText } from './reuse/unsent-text.ts';

/**
 * Describes a summary for people: one line if all went well, more lines for retries or a long run.
 *
 *     2,000 rows scored in 0.2 s, 9,821 rows/s, to scored.csv
 *       3 requests (p50 12 ms, p99 31 ms), retried: 1 × http_503
 */
export function describeSummary(summary: Summary): string {
  const {
    rows,
    blank_lines: blank,
    seconds,
    rows_per_second: rate,
    calls,
    retries,
    latency_ms: latency,
    resumed_from_row: resumedFrom,
  } = summary;
  const counts = [
    `${countOf(rows.scored, 'row')} scored${reusedText(summary)}`,
    ...(rows.rejected > 0 ? [`${counted(rows.rejected)} rejected (${listed(rows.rejected_by)})`] : []),
    ...(blank > 0 ? [`${countOf(blank, 'blank line')} copied`] : []),
  ].join(', ');
  const pace = rate < MIN_RATE ? '' : `, ${counted(rate)} rows/s`;
  // Time and rate are those of this process.
  const since = resumedFrom === null ? '' : `, ${counted(rows.read - resumedFrom + 1)} since resuming,`;
  const lines = [`${counts}${since} in ${seconds.toFixed(1)} s${pace}, to ${shownPath(summary.output)}`];
  const again = Object.values(retries).reduce((sum, count) => sum + count, 0);
  // Requests are of interest; the batches of a local report are not.
  if (again > 0 || (seconds > 10 && summary.service !== LOCAL)) {
    const times =
      latency === null ? '' : ` (p50 ${latency.p50} ms, p95 ${latency.p95} ms, p99 ${latency.p99} ms)`;
    lines.push(`${countOf(calls, 'request')}${times}${again > 0 ? `, retried: ${listed(retries)}` : ''}`);
  }
  if (summary.sha256 !== null) {
    lines.push(`sha256 of the input   ${summary.sha256.input ?? 'input not read to the end'}`);
    lines.push(`sha256 of the output  ${summary.sha256.output}`);
  }
  return lines.join('\n  ');
}

/** The lowest rate that is shown: below it, a whole number of rows per second says little. */
const MIN_RATE = 10;

const listed = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([code, count]) => `${counted(count)} × ${sanitize(code)}`)
    .join(', ');

/** A path of a summary for people: relative if it is below the working directory. Other names stay as they are. */
export function shownPath(name: string): string {
  if (!isAbsolute(name)) return name;
  const near = relative('.', name);
  return near === '' || near.startsWith('..') ? name : near;
}
