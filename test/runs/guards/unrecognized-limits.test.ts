import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { readRejectLimit } from '../../../src/base/options/values/reject-limit.ts';
import type { LearnedColumn } from '../../../src/formats/columns/column-encoder.ts';
import type { ColumnFigures } from '../../../src/runs/drift/compare.ts';
import { checkUnrecognized, type UnrecognizedLimits } from '../../../src/runs/guards/unrecognized-limits.ts';
import { dataWarning, unrecognizedLine } from '../../../src/runs/observers/unknown-values.ts';
import {
  type CountedColumn,
  countedColumns,
  weightsOf,
} from '../../../src/scoring/counting/counted-column.ts';
import { TallyLayout } from '../../../src/scoring/counting/tally.ts';

const column = (name: string, mismatched: number | null, unseen: number | null): ColumnFigures => ({
  name,
  missing: 5,
  missing_share: 0.001,
  mismatched,
  unseen,
  trimmed: 0,
  mean: null,
  ranges: null,
  categories: null,
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
    unrecognizedLine(columns, 20_000),
    'values that the model does not know count as missing or rare: 1,234 values of "plan" are categories unknown to the model (6.2%, 0.4% in training); ' +
      '7 values of "d" are not of its type (0.035%, 0.0% in training); 2 values of "e" are not of its type (0.010%, 0.0% in training); and 1 more column',
  );
  assert.equal(unrecognizedLine([column('a', 0, 0), column('b', null, null)], 100), undefined);
});

test('a column is named only if its share of such values is above that in training', () => {
  // 80 of 20,000 is the share that the training rows had.
  assert.equal(unrecognizedLine([column('a', 0, 80)], 20_000), undefined);
  assert.match(
    unrecognizedLine([column('a', 0, 81)], 20_000) ?? '',
    /^values .*81 values of "a" are categories unknown to the model/,
  );
  assert.equal(
    unrecognizedLine([column('a', 0, 79), column('b', 0, 3), column('c', null, null)], 20_000),
    undefined,
  );
  assert.match(unrecognizedLine([column('a', 1, 79)], 20_000) ?? '', /1 value of "a" is not of its type/);
});

/**
 * Checks columns that were counted in some rows.
 *
 * @param counts of each column: missing, mismatched, unseen and trimmed values
 */
const check = (
  columns: readonly CountedColumn[],
  counts: readonly number[],
  rows: number,
  { isEnd = true, ...limits }: UnrecognizedLimits & { isEnd?: boolean } = {},
): void => {
  const layout = new TallyLayout({ columns, isDetailed: false });
  checkUnrecognized(limits, { counts: Float64Array.from(counts) }, layout, rows, isEnd);
};

const categorical = (name: string): LearnedColumn => ({ name, type: 'categorical', levels: ['x'] });

/** Columns of categories that a model on this machine knows, or others that it has learned. */
const columnsOf = (
  names: readonly string[],
  report: Parameters<typeof countedColumns>[1] = {},
  learned: readonly LearnedColumn[] = names.map(categorical),
): [CountedColumn, ...CountedColumn[]] => {
  const features = names.map((name, index) => ({ name, index, type: undefined }));
  const [first, ...others] = countedColumns(features, report, learned);
  assert.ok(first !== undefined);
  return [first, ...others];
};
const tooMany = (message?: string | RegExp) => ({
  code: 'too_many_unseen',
  ...(message !== undefined && { message }),
});

const counted: CountedColumn = {
  name: 'plan',
  index: 0,
  type: 'categorical',
  hasLevels: true,
  edges: [],
  levels: ['x'],
  learned: categorical('plan'),
  training: undefined,
};

test('a run stops when one column has more unknown values than allowed, if they can be known', () => {
  const both = [{ ...counted, hasLevels: false }, counted];
  /** The first column has 500 unseen values, but its categories are not known; the second has 11. */
  const counts = [0, 0, 500, 0, 0, 3, 11, 0];
  const checkBoth = (limit: string, rows: number, isEnd = false) =>
    check(both, counts, rows, { maxUnseen: readRejectLimit(limit), isEnd });
  checkBoth('11', 600);
  assert.throws(() => checkBoth('10', 600), {
    code: 'too_many_unseen',
    severity: 'stopped',
    message: '11 of 600 values of "plan" are categories that the model does not know',
    hint: /--max-unseen/,
  });
  checkBoth('1%', 600);
  assert.throws(() => checkBoth('1%', 600, true), tooMany());
  assert.throws(() => checkBoth('1%', 1000), tooMany());
  assert.throws(() => check(both, counts, 600, { maxMismatches: readRejectLimit('2'), isEnd: false }), {
    code: 'too_many_mismatches',
    message: '3 of 600 values of "plan" do not fit its type',
  });
  assert.throws(() => check(both, [0, 0, 0, 0, 0, 1, 0, 0], 1, { maxMismatches: readRejectLimit('0') }), {
    message: '1 of 1 value of "plan" does not fit its type',
  });
});

describe('without a limit, a run stops when most values mean nothing to the model', () => {
  const rows = 2000;
  const names = ['plan', 'note'];
  const checkPlan = ([plan]: readonly [CountedColumn, ...CountedColumn[]], unseen: number, limit?: 'none') =>
    check([plan], [0, 0, unseen, 0], rows, { maxUnseen: limit, isEnd: false });

  it('but not because of a single value, as in an input with one row, unless a limit is given', () => {
    const plan = columnsOf(['plan']);
    check(plan, [0, 0, 1, 0], 1);
    assert.throws(() => check(plan, [0, 0, 2, 0], 2), tooMany());
    assert.throws(
      () => check(plan, [0, 0, 1, 0], 1, { maxUnseen: readRejectLimit('50%') }),
      tooMany('1 of 1 value of "plan" is a category that the model does not know'),
    );
  });

  it('but not in an input with fewer than ten rows, unless no value of any column is known', () => {
    const unseen = (a: number, b: number) => [0, 0, a, 0, 0, 0, b, 0];
    check(columnsOf(names), unseen(9, 0), 9);
    check(columnsOf(names), unseen(9, 8), 9);
    assert.throws(() => check(columnsOf(names), unseen(9, 9), 9), tooMany());
    assert.throws(() => check(columnsOf(names), unseen(10, 0), 10), tooMany());
  });

  it('but because of the only row, if the model knows none of its values: it may be a whole table', () => {
    const tenure: LearnedColumn = { name: 'tenure', type: 'numerical', notation: 'point' };
    const columns = columnsOf(['plan', 'tenure'], {}, [categorical('plan'), tenure]);
    check(columns, [0, 0, 1, 0, 0, 0, 0, 0], 1);
    assert.throws(
      () => check(columns, [0, 0, 1, 0, 0, 1, 0, 0], 1),
      tooMany(
        '1 of 1 value of "plan" is a category that the model does not know; most values of "tenure" mean nothing to the model either',
      ),
    );
  });

  it('and each column is named once', () => {
    const [plan] = columnsOf(['plan']);
    plan.stopsAbove = { missing: 0.5, mismatched: 0.5, unseen: 0.5 };
    plan.training = { name: 'plan', missing: 0, mismatched: 0, unseen: 0 };
    assert.throws(() => check([plan], [80, 0, 20, 0], 100), {
      message: /^\d+ of \d+ values of "plan" are [^;]+$/,
    });
  });

  it('in a column that matters, which are all columns if the report names no drivers among them', () => {
    for (const drivers of [undefined, [], [{ column: 'other', impact: 1 }]]) {
      const columns = columnsOf(names, { drivers });
      checkPlan(columns, 1000);
      assert.throws(() => checkPlan(columns, 1001), { code: 'too_many_unseen', severity: 'stopped' });
      checkPlan(columns, rows, 'none');
    }
  });

  it('unless the column has less than 1% of the impact of all drivers', () => {
    const note = { column: 'note', impact: 99 };
    const withImpact = (impact: number) => columnsOf(names, { drivers: [{ column: 'plan', impact }, note] });
    assert.throws(() => checkPlan(withImpact(1), rows), tooMany());
    checkPlan(withImpact(0.9), rows);
    checkPlan(withImpact(0), rows);
  });

  it('also if each of very many columns has a small impact', () => {
    const many = Array.from({ length: 500 }, (_, i) => `c${i}`);
    const drivers = many.map((column, i) => ({ column, impact: i === 0 ? 0.001 : 0.002 }));
    const weight = weightsOf(drivers, many);
    assert.deepEqual(
      many.filter(name => weight(name) < 1),
      ['c0'],
    );
  });

  it('of those that it knew in training: a column of rare categories had many others before', () => {
    const columns = [{ name: 'plan', missing: 0, mismatched: 0, unseen: 60 }];
    const plan = columnsOf(names, { profile: { rows: 100, columns, scores: [] } });
    checkPlan(plan, 1600);
    assert.throws(() => checkPlan(plan, 1601), tooMany());
  });
});

describe('the share of values', () => {
  const checkShare = (missing: number, unseen: number, before?: { missing: number; unseen: number }) => {
    const columns = before && [{ name: 'plan', mismatched: 0, ...before }];
    const report = columns === undefined ? {} : { profile: { rows: 1000, columns, scores: [] } };
    check(columnsOf(['plan'], report), [missing, 0, unseen, 0], 7000);
  };

  it('that are unknown is of the values that are there', () => {
    checkShare(6400, 300);
    assert.throws(
      () => checkShare(6400, 301),
      tooMany('301 of 600 values of "plan" are categories that the model does not know'),
    );
    // Fewer than 1% of the rows have a value.
    checkShare(6940, 60);
    // In training, half of those that were there were unknown.
    const before = { missing: 600, unseen: 200 };
    checkShare(6400, 450, before);
    assert.throws(() => checkShare(6400, 451, before), tooMany());
  });

  it('that are missing may be above one half if training had at least half as many', () => {
    const before = (missing: number) => ({ missing, unseen: 0 });
    checkShare(7000, 0);
    checkShare(3500, 0, before(0));
    assert.throws(() => checkShare(3501, 0, before(0)), {
      code: 'too_many_missing',
      severity: 'stopped',
      message: '3,501 of 7,000 values of "plan" are missing',
      hint: /--max-missing/,
    });
    checkShare(5600, 0, before(400));
    assert.throws(() => checkShare(5601, 0, before(400)), { code: 'too_many_missing' });
    checkShare(7000, 0, before(500));
  });
});

test('columns of which none matters matter together: unknown ones with 1% of the impact stop a run', () => {
  const names = ['a', 'b', 'c', 'd', 'much'];
  const drivers = names.map(column => ({ column, impact: column === 'much' ? 98.8 : 0.3 }));
  const unknown = (count: number) => names.flatMap((_, i) => [0, 0, i < count ? 100 : 0, 0]);
  check(columnsOf(names, { drivers }), unknown(3), 100);
  assert.throws(
    () => check(columnsOf(names, { drivers }), unknown(4), 100),
    tooMany(
      '100 of 100 values of "a" are categories that the model does not know; most values of "b", "c", "d" mean nothing to the model either',
    ),
  );
});

test('a column that the input lacks with the consent of the user has no limit on missing values', () => {
  const profile = { rows: 1000, columns: [], scores: [] };
  const limits = { maxMissing: readRejectLimit('10%') };
  const checkAllowed = (...allowed: string[]) => {
    const features = ['a', 'b'].map((name, index) => ({ name, index, type: undefined }));
    check(countedColumns(features, { profile }, undefined, allowed), [100, 0, 0, 0, 5, 0, 0, 0], 100, limits);
  };
  assert.throws(() => checkAllowed(), { code: 'too_many_missing', message: /^100 of 100 values of "a"/ });
  checkAllowed('a');
});

test('a column that matters and is missing far more often than in training is warned of, and what was not there is named', () => {
  const lacking = (name: string, missing: number, before = 0) => ({
    ...column(name, 0, 0),
    missing,
    training: { rows: 1000, missing: before, mismatched: 0, unseen: 0, mean: null },
  });
  const columns = [lacking('a', 300), lacking('b', 90), lacking('c', 500, 300), lacking('d', 900)];
  assert.equal(
    dataWarning({ columns, matters: ['a', 'b', 'c'] }, 1000, ['e']),
    '"a" is missing in 30.0% of the rows (0.0% in training); sent as missing, because the input does not have them: "e"',
  );
  assert.doesNotMatch(dataWarning({ columns, matters: ['a', 'b', 'c'] }, 9, ['e']) ?? '', /is missing in/);
  // Later rows have values of "a".
  assert.equal(dataWarning({ columns, matters: [] }, 1000, ['a']), undefined);
  assert.equal(dataWarning({ columns, matters: [] }, 1000), undefined);
});
