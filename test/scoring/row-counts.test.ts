import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exitCodeOf } from '../../src/runs/exit-code.ts';
import { checkBalance, rowCountsOf } from '../../src/scoring/row-counts.ts';

describe('row counts', () => {
  const rowCounts = { ...rowCountsOf(undefined), read: 10, scored: 8, rejected: 2, blank: 5 };

  it('add up if every row was scored or rejected, not counting blank lines', () => {
    checkBalance(rowCounts);
  });

  it('that do not add up end the run with exit code 4: a row was lost or counted twice', () => {
    for (const scored of [7, 9])
      assert.throws(
        () => checkBalance({ ...rowCounts, scored }),
        (error: unknown) => {
          assert.equal(exitCodeOf(error), 4);
          return true;
        },
      );
  });
});
