import { sanitize } from '../../base/sanitize.ts';
import type { Summary } from '../../runs/summary/summary.ts';
import type { TimelinePoint } from '../../runs/summary/timeline.ts';
import { LOCAL } from '../../scoring/scorer.ts';
import { type TimeChart, timeChart } from '../charts/time-chart.ts';
import { type Html, html } from '../html.ts';
import { countedText, countText } from '../texts.ts';

/** What a run did over time: rows and batches, and for a service latency, requests in flight and retries. */
export function timelineSection(summary: Summary, points: readonly TimelinePoint[]): Html | undefined {
  const last = points.at(-1);
  if (last === undefined || last.seconds === 0 || last.batches === 0) return undefined;
  const charts = summary.service === LOCAL ? [rows(points), batches(points)] : hosted(summary, points);
  const note =
    summary.attempts > 1 &&
    html`<p class="muted">This is the course of the last of ${countText(summary.attempts)} processes.</p>`;
  return html`<section class="card stack" aria-labelledby="course"><h2 id="course">Over time</h2>
${note}
<div class="courses">${charts.map(chart => chart !== undefined && timeChart({ ...chart, times: points.map(({ seconds }) => seconds) }))}</div>
</section>`;
}

type Chart = Omit<TimeChart, 'times'>;

const hosted = (summary: Summary, points: readonly TimelinePoint[]): (Chart | undefined)[] => [
  rows(points),
  latency(summary, points),
  inFlight(points),
  retries(summary, points),
];

/** A chart of one series. @param what the values are, to begin a sentence */
const course = (
  { what, ...chart }: Pick<Chart, 'id' | 'title' | 'unit'> & { what: string },
  values: (number | undefined)[],
): Chart => ({
  ...chart,
  text: shortText,
  description: `${what} over the time of the run, up to ${shortText(most(values))}.`,
  series: [{ name: chart.unit, values }],
});

const rows = (points: readonly TimelinePoint[]): Chart =>
  course(
    { id: 'throughput', title: 'Throughput', unit: 'Rows per second', what: 'Rows per second' },
    rates(points, point => point.rows),
  );

const batches = (points: readonly TimelinePoint[]): Chart =>
  course(
    { id: 'batches', title: 'Batches', unit: 'Batches per second', what: 'Batches per second' },
    rates(points, point => point.batches),
  );

const inFlight = (points: readonly TimelinePoint[]): Chart =>
  course(
    {
      id: 'concurrency',
      title: 'Concurrency',
      unit: 'Requests in flight',
      what: 'The mean number of requests in flight',
    },
    rates(points, point => point.inFlightSeconds),
  );

function latency({ latency_ms: whole }: Summary, points: readonly TimelinePoint[]): Chart {
  const values = changes(points, (from, to) =>
    to.responses > from.responses
      ? (to.latencyMs - from.latencyMs) / (to.responses - from.responses)
      : undefined,
  );
  return {
    id: 'latency',
    title: 'Latency',
    unit: 'Milliseconds, mean',
    text: shortText,
    description: `The mean latency of requests over the time of the run, up to ${shortText(most(values))} ms.`,
    ...(whole && {
      caption: `p50 ${countText(whole.p50)} ms, p95 ${countText(whole.p95)} ms, p99 ${countText(whole.p99)} ms`,
    }),
    series: [{ name: 'Milliseconds', values }],
  };
}

function retries(summary: Summary, points: readonly TimelinePoint[]): Chart | undefined {
  const last = points.at(-1);
  if (!last || last.retries + last.rejected === 0) return undefined;
  const causes = countedList(summary.retries);
  return {
    id: 'retries',
    title: 'Retries and rejects',
    unit: 'So far',
    text: shortText,
    description: `${countedText(last.retries, 'request')} ${last.retries === 1 ? 'was' : 'were'} retried and ${countedText(last.rejected, 'row')} rejected.`,
    caption: html`<span class="key">retries${causes && `: ${causes}`}</span> <span class="key second">rejected rows</span>`,
    series: [
      { name: 'Retries', values: points.map(point => point.retries) },
      { name: 'Rejected rows', values: points.map(point => point.rejected) },
    ],
  };
}

/** A value for each point, of the time since the one before; the first is not known. */
const changes = (
  points: readonly TimelinePoint[],
  change: (from: TimelinePoint, to: TimelinePoint) => number | undefined,
): (number | undefined)[] =>
  points.map((to, i) => {
    const from = points[i - 1];
    return from && change(from, to);
  });

/** What was added per second. After a stop, a run counts less than before: only what its checkpoint has. */
const rates = (points: readonly TimelinePoint[], sum: (point: TimelinePoint) => number) =>
  changes(points, (from, to) => Math.max(0, sum(to) - sum(from)) / (to.seconds - from.seconds || 1));

const most = (values: readonly (number | undefined)[]): number =>
  Math.max(0, ...values.map(value => value ?? 0));

/** A number in few characters: `0.25`, `12`, `3.4k`, `1.2M`. */
export function shortText(value: number): string {
  if (value >= 999_500) return `${trimmed(value / 1e6)}M`;
  if (value >= 999.5) return `${trimmed(value / 1e3)}k`;
  return trimmed(value);
}

const trimmed = (value: number): string => String(Number(value.toPrecision(3)));

/** How often each code occurs, as text; undefined if none does. */
export const countedList = (counts: Readonly<Record<string, number>>): string | undefined =>
  Object.entries(counts)
    .map(([code, count]) => `${countText(count)} × ${sanitize(code)}`)
    .join(', ') || undefined;
