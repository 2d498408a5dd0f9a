import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRejectLimit } from '../../src/config/reject-limit.ts';
import type { CountedColumn } from '../../src/drift/counted-column.ts';
import type { ColumnFigures } from '../../src/drift/figures.ts';
import { checkMisfits } from '../../src/drift/misfit-limits.ts';
import { misfitLine } from '../../src/drift/misfit-line.ts';
import { TallyLayout } from '../../src/drift/tally.ts';

const column = (name: string, mismatched: number | null, unseen: number | null): ColumnFigures => ({
  ...{ name, missing: 5, mismatched, unseen, mean: null, ranges: null, categories: null },
  training: { rows: 1000, missing: 0, mismatched: 0, unseen: 4, mean: null },
});

test('the worst columns are named in one line, with their shares in training', () => {
  const columns = [
    column('a', 1, 0),
    column('plan\n', 0, 1234),
    column('c', null, null),
    column('d', 7, 0),
    column('e', 2, 0),
  ];
  assert.equal(
    misfitLine(columns, 20_000),
    'values that the model does not know count as missing or rare: "plan" has 1,234 unknown categories (6.2%, 0.4% in training); ' +
      '"d" has 7 not of its type (0.035%, 0.0% in training); "e" has 2 not of its type (0.010%, 0.0% in training); and 1 more column',
  );
  assert.equal(misfitLine([column('a', 0, 0), column('b', null, null)], 100), undefined);
});

const counted: CountedColumn = {
  ...{ name: 'plan', index: 0, type: 'categorical', hasLevels: true, edges: [], levels: ['x'] },
  learned: { name: 'plan', type: 'categorical', levels: ['x'] },
  training: undefined,
};
const layout = new TallyLayout({ columns: [{ ...counted, hasLevels: false }, counted], isDetailed: false });
/** The first column has 500 unseen values, but its categories are not known; the second has 11. */
const counts = Float64Array.of(0, 0, 500, 0, 3, 11);

test('a run stops when one column has more unknown values than allowed, if they can be known', () => {
  const check = (limit: string, read: number, isEnd = false) =>
    checkMisfits({ maxUnseen: readRejectLimit(limit) }, { counts }, layout, read, isEnd);
  check('11', 600);
  assert.throws(() => check('10', 600), {
    code: 'too_many_unseen',
    severity: 'stopped',
    message: '11 of 600 values of "plan" are categories that the model does not know',
    hint: /--max-unseen/,
  });
  check('1%', 600);
  assert.throws(() => check('1%', 600, true), { code: 'too_many_unseen' });
  assert.throws(() => check('1%', 1000), { code: 'too_many_unseen' });
  const mismatches = { maxMismatches: readRejectLimit('2') };
  assert.throws(() => checkMisfits(mismatches, { counts }, layout, 600, false), {
    code: 'too_many_mismatches',
    message: '3 of 600 values of "plan" do not fit its type',
  });
});
