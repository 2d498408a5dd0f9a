import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newRowCounts } from '../../../src/scoring/row-counts.ts';
import { workTimeOf } from '../../../src/shards/assemble/file-parts.ts';

/** A shard of 100 rows. */
const result = (from: string, to: string, before = 0) => ({
  started_at: `2026-01-01T00:00:${from}.000Z`,
  finished_at: `2026-01-01T00:00:${to}.000Z`,
  rows_before: before,
  rowCounts: { ...newRowCounts(), read: 100 },
});

describe('the time that workers took', () => {
  it('counts once what several of them worked at the same time', () => {
    const time = workTimeOf([result('10', '20'), result('05', '15'), result('11', '12')]);
    assert.deepEqual(time, { startedAt: '2026-01-01T00:00:05.000Z', seconds: 15, rows: 300 });
  });

  it('does not count the time in which nobody worked', () => {
    assert.equal(workTimeOf([result('50', '55'), result('05', '15')]).seconds, 15);
  });

  it('does not count the rows that an earlier attempt had scored', () => {
    assert.equal(workTimeOf([result('00', '01', 40)]).rows, 60);
  });

  it('is none without a shard', () => {
    assert.deepEqual(workTimeOf([]), { startedAt: undefined, seconds: 0, rows: 0 });
  });
});
