import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeSummary } from '../../../src/cli/terminal/summary-text.ts';
import type { Summary } from '../../../src/runs/summary/summary.ts';

const summary: Summary = {
  format: 1,
  digest: null,
  last: null,
  version: '0.1.0',
  run_id: '01a2b3c4-d5e6-7f00-8000-000000000000',
  status: 'finished',
  exit_code: 0,
  error: null,
  started_at: '2026-01-31T02:00:00.000Z',
  finished_at: '2026-01-31T02:00:02.000Z',
  input: 'in.csv',
  output: 'out.csv',
  rejects: null,
  service: 'local',
  report: 'r',
  rows: { read: 1, scored: 1, rejected: 0, rejected_by: {} },
  blank_lines: 0,
  batches: 1,
  calls: 2,
  retries: {},
  bytes_in: 4,
  bytes_out: 8,
  seconds: 2,
  rows_per_second: 1500,
  latency_ms: null,
  resumed_from_row: null,
  attempts: 1,
  protocol: 'report',
  prediction: { kind: 'distribution', classes: ['no', 'yes'] },
  classes: ['no', 'yes'],
  options: {},
  sha256: null,
  columns: null,
  scores: null,
  labels: null,
  drift: null,
  warnings: [],
  runs: null,
};

it('a summary is one line if everything succeeded', () => {
  assert.equal(describeSummary(summary), '1 row scored in 2.0 s, 1,500 rows/s, to out.csv');
});

it('the summary of a long run says how long requests took, unless it had none', () => {
  const long = { ...summary, service: 'https://example.com/', seconds: 11 };
  assert.match(describeSummary(long), /\n {2}2 requests/);
  assert.doesNotMatch(describeSummary({ ...long, service: 'local' }), /request/);
});

it('the summary of a resumed run says to how many rows its time and rate apply', () => {
  const rows = { ...summary.rows, read: 5000, scored: 5000 };
  assert.equal(
    describeSummary({ ...summary, rows, resumed_from_row: 2001 }),
    '5,000 rows scored, 3,000 since resuming, in 2.0 s, 1,500 rows/s, to out.csv',
  );
});

it('a summary has no rate if it is low', () => {
  assert.equal(describeSummary({ ...summary, rows_per_second: 0.5 }), '1 row scored in 2.0 s, to out.csv');
});

it('a summary lists rejects by code, blank lines, and retries', () => {
  const rows = { read: 3002, scored: 3000, rejected: 2, rejected_by: { not_utf8: 2 } };
  const latency_ms = { p50: 5, p95: 7, p99: 9 };
  assert.equal(
    describeSummary({ ...summary, rows, blank_lines: 1, retries: { http_503: 4 }, latency_ms }),
    '3,000 rows scored, 2 rejected (2 × not_utf8), 1 blank line copied in 2.0 s, 1,500 rows/s, to out.csv\n' +
      '  2 requests (p50 5 ms, p95 7 ms, p99 9 ms), retried: 4 × http_503',
  );
});
