import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { partOf } from '../../../../src/base/number-text.ts';
import {
  checkRejectLimit,
  exceeds,
  type RejectLimit,
  readRejectLimit,
} from '../../../../src/base/options/values/reject-limit.ts';
import { rowCountsOf } from '../../../../src/scoring/row-counts.ts';

const counts = (rejected: number, read: number) => ({
  ...rowCountsOf(undefined),
  read,
  rejected,
  scored: read - rejected,
  rejectedBy: { too_few_fields: rejected },
});

describe('a reject limit', () => {
  it('is a number of rows or a percentage', () => {
    assert.deepEqual(readRejectLimit('0'), { rows: 0 });
    assert.deepEqual(readRejectLimit('12'), { rows: 12 });
    assert.deepEqual(readRejectLimit('0.5%'), { percent: 0.5 });
    assert.deepEqual(readRejectLimit('100%'), { percent: 100 });
    for (const text of ['', '-1', '1.5', '%', '1 %', '1%%', '1e3', 'all', '101%', '200%'])
      assert.equal(readRejectLimit(text), undefined);
  });

  it('allows exactly that many and no more', () => {
    assert.equal(exceeds({ rows: 2 }, counts(2, 5)), false);
    assert.equal(exceeds({ rows: 2 }, counts(3, 5)), true);
    assert.equal(exceeds({ rows: 0 }, counts(0, 5)), false);
    assert.equal(exceeds({ percent: 10 }, counts(100, 1000)), false);
    assert.equal(exceeds({ percent: 10 }, counts(101, 1000)), true);
    assert.equal(exceeds({ percent: 0 }, counts(1, 1000)), true);
  });
});

describe('too many rejects', () => {
  const stops = (most: RejectLimit | undefined, rejected: number, read: number, isEnd = false): void =>
    assert.throws(() => checkRejectLimit(most, counts(rejected, read), isEnd), {
      code: 'too_many_rejects',
      severity: 'stopped',
      message: `${partOf(rejected, read, 'row', ['was', 'were'])} rejected: ${rejected} × too_few_fields`,
    });
  const passes = (most: RejectLimit | undefined, rejected: number, read: number, isEnd = false): void =>
    checkRejectLimit(most, counts(rejected, read), isEnd);

  it('stop a run as soon as a limit in rows is exceeded', () => {
    stops({ rows: 1 }, 2, 2);
    passes({ rows: 2 }, 2, 2);
    passes(undefined, 2, 2);
  });

  it('stop a run by percentage only after 1,000 rows, or at the end', () => {
    passes({ percent: 1 }, 999, 999);
    stops({ percent: 1 }, 999, 999, true);
    stops({ percent: 1 }, 11, 1000);
    passes({ percent: 1 }, 10, 1000);
    passes({ percent: 1 }, 0, 0, true);
  });
});
