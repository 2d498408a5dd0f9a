import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeReport } from '../../src/cli/report-text.ts';

it('a report is told whatever its drivers come to', () => {
  const impacts = [1e308, 5e307, 0, -1];
  const drivers = Array.from({ length: 200_000 }, (_, at) => ({
    column: `c${at}`,
    impact: impacts[at % 4] ?? 0,
  }));
  const lines = describeReport('r', { tech_specs: {}, drivers }).split('\n');
  assert.deepEqual(
    lines.filter(line => / c[0-3] /.test(line)).map(line => line.match(/█/g)?.length ?? 0),
    [24, 12, 0, 0],
  );
  assert.match(
    describeReport('r', { tech_specs: {}, drivers: [{ column: 'a', impact: 0 }] }),
    / a +0\.0 %\n$/,
  );
});
