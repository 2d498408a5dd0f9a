import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeTotals, latencyText } from '../../../src/cli/terminal/plan-text.ts';

it('the totals of a plan say whether the outputs fit on their disk', () => {
  const totals = {
    rows: 2000,
    is_exact: true,
    is_lower_bound: false,
    requests: 2,
    rows_sent: 2000,
    disk_bytes: 47.2e6,
    cost: null,
    saved: null,
  };
  const rows = '2,000 rows, 2 requests, ';
  assert.equal(
    describeTotals({ ...totals, free_bytes: 69.9e9 }),
    `${rows}up to 47.2 MB of disk space (69.9 GB free)`,
  );
  assert.equal(
    describeTotals({ ...totals, free_bytes: 12.6e6 }),
    `${rows}up to 47.2 MB of disk space (only 12.6 MB free, so the output may not fit)`,
  );
  assert.equal(
    describeTotals({ ...totals, is_exact: false, is_lower_bound: true, free_bytes: 12.6e6 }),
    'at least 2,000 rows, at least 2 requests, at least 47.2 MB of disk space (only 12.6 MB free, so the output does not fit)',
  );
  assert.equal(describeTotals({ ...totals, free_bytes: null }), `${rows}up to 47.2 MB of disk space`);
});

it('the latency of requests is a range, or one number if both ends are the same', () => {
  assert.equal(latencyText({ min: 12.2, max: 1530.4 }), '12 to 1,530 ms each');
  assert.equal(latencyText({ min: 7805.8, max: 7806.3 }), '7,806 ms');
});
