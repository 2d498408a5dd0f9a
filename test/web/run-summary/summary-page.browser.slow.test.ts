import type { Summary } from '../../../src/runs/summary/summary.ts';
import { summaryPage } from '../../../src/web/run-summary/summary-page.ts';
import { checkPages } from '../../support/web/check-pages.ts';
import { columnWith, scoresOf, someTime, summaryWith } from './summaries.ts';

const names = (count: number, text: string): string[] =>
  Array.from({ length: count }, (_, i) => `${text} ${i}`);
const long = 'a-very-long-name-without-any-space-in-it'.repeat(4);
const drift = (columns: readonly string[], classes: readonly string[]): Summary['drift'] => {
  const changes = [
    { psi: 0.02, change: 'none', chance: 0.01 },
    { psi: 0.14, change: 'moderate', chance: 0.01 },
    { psi: 1.6, change: 'significant', chance: 0.01 },
    { psi: null, change: null, chance: null },
  ] as const;
  const changeAt = (i: number) => changes[i % changes.length] ?? changes[0];
  return {
    compared_with: {
      summary: 'l.json',
      run_id: '1',
      started_at: '2026-01-30T02:00:00.000Z',
      input: long,
      rows: 9,
    },
    columns: columns.map((name, i) => ({ name, ...changeAt(i) })),
    scores: Object.fromEntries(
      classes.map((name, i) => [name, { kind: 'probability' as const, ...changeAt(i) }]),
    ),
    labels: null,
  };
};

const [columns, classes] = [names(1000, 'column'), names(20, 'class')];
const numberScores = {
  prediction: {
    kind: 'number' as const,
    mean: -12_345.6,
    deciles: [-40_000, -30_000, -20_000, -15_000, -12_000, -9000, -7000, -100, 0],
    ranges: { edges: [], rows: [9] },
  },
};
const error = { code: 'bad_gzip', message: long, hint: 'Check it.', retryable: true };
const pages: Record<string, Summary> = {
  'a good run': summaryWith({ columns: [columnWith('tenure')], scores: scoresOf(['no', 'yes']) }),
  'a run of a service with retries and rejects': summaryWith({
    service: 'https://x.example',
    retries: { http_503: 3 },
    latency_ms: { p50: 40, p95: 50, p99: 60 },
    rows: { read: 2000, scored: 1900, rejected: 100, rejected_by: { too_few_fields: 60, [long]: 40 } },
  }),
  'a run that predicts numbers': summaryWith({
    classes: [],
    prediction: { kind: 'numbers', names: [] },
    scores: numberScores,
    labels: { names: ['yes', long], rows: [90, 9], others: 1 },
  }),
  'a stopped run': summaryWith({
    status: 'stopped',
    exit_code: 3,
    input: long,
    warnings: [{ code: 'x', message: long }],
    error: { ...error, file: long, line: 7, row: 6 },
  }),
  'a run with 20 classes and 1,000 columns': summaryWith({
    columns: columns.map(name => columnWith(name)),
    classes,
    scores: scoresOf(classes),
    drift: drift(columns, classes),
  }),
  'several files': summaryWith({
    runs: [
      summaryWith(),
      summaryWith({ status: 'refused', input: long, error: { ...error, file: null, line: null, row: null } }),
    ],
  }),
};

checkPages(
  'the page of a run',
  Object.fromEntries(
    Object.entries(pages).map(([of, summary]) => [of, () => summaryPage(summary, someTime())]),
  ),
);
