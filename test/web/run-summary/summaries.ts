import type { Summary } from '../../../src/runs/summary/summary.ts';
import { noSample, Timeline, type TimelinePoint } from '../../../src/runs/summary/timeline.ts';

/** The summary of a finished run. */
export const summaryWith = (more: Partial<Summary> = {}): Summary => ({
  format: 1,
  version: '1.0.0',
  run_id: '019c1177',
  status: 'finished',
  exit_code: 1,
  error: null,
  started_at: '2026-01-31T02:00:00.000Z',
  finished_at: '2026-01-31T02:03:19.000Z',
  attempts: 1,
  resumed_from_row: null,
  input: 'in.csv',
  output: 'out.csv',
  rejects: null,
  service: 'local',
  protocol: 'report',
  report: 'churn',
  prediction: { kind: 'distribution', classes: ['no', 'yes'] },
  classes: ['no', 'yes'],
  options: {},
  rows: { read: 2000, scored: 1998, rejected: 2, rejected_by: { too_few_fields: 2 } },
  blank_lines: 0,
  batches: 2,
  calls: 2,
  retries: {},
  bytes_in: 180_998,
  bytes_out: 262_635,
  seconds: 199,
  rows_per_second: 10,
  latency_ms: null,
  digest: null,
  last: null,
  sha256: null,
  columns: [],
  scores: null,
  labels: null,
  drift: null,
  warnings: [],
  runs: null,
  ...more,
});

type Column = NonNullable<Summary['columns']>[number];

export const columnWith = (name: string, more: Partial<Column> = {}): Column => ({
  name,
  missing: 20,
  missing_share: 0.01,
  mismatched: 0,
  unseen: 0,
  trimmed: 0,
  mean: 32.4,
  categories: null,
  training: { rows: 1000, missing: 30, mismatched: 0, unseen: 0, mean: 31.9 },
  ranges: { edges: [1, 2, 3, 4, 5, 6, 7, 8, 9], rows: [198, 198, 198, 198, 198, 198, 198, 198, 198, 198] },
  ...more,
});

export const scoresOf = (classes: readonly string[]): NonNullable<Summary['scores']> =>
  Object.fromEntries(
    classes.map((name, i) => {
      const deciles = Array.from({ length: 9 }, (_, k) => ((k + 1) / 10) * (1 - i / (2 * classes.length)));
      return [
        name,
        {
          kind: 'probability' as const,
          mean: deciles[4] ?? 0,
          deciles,
          ranges: { edges: deciles, rows: new Array(10).fill(200) },
        },
      ];
    }),
  );

/** Ten seconds with a pause in them. */
export function someTime(): readonly TimelinePoint[] {
  const timeline = new Timeline();
  for (let second = 1; second <= 10; second++) {
    const done = second < 4 ? second : Math.max(3, second - 3);
    const sums = { rows: 285 * done, batches: done, rejected: done, retries: Math.floor(done / 2) };
    timeline.add(second, { ...noSample, ...sums, responses: done, latencyMs: 40 * done, inFlight: 4 });
  }
  return timeline.points;
}
