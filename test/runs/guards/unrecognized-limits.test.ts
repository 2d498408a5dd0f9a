import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { readRejectLimit } from '../../../src/base/options/values/reject-limit.ts';
import type { LearnedColumn } from '../../../src/formats/columns/column-encoder.ts';
import type { ColumnFigures } from '../../../src/runs/drift/compare.ts';
import { checkUnrecognized } from '../../../src/runs/guards/unrecognized-limits.ts';
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

const counted: CountedColumn = {
  name: 'plan',
  index: 0,
  type: 'categorical',
  hasLevels: true,
  edges: [],
  levels: ['x'],
  learned: { name: 'plan', type: 'categorical', levels: ['x'] },
  training: undefined,
};
const layout = new TallyLayout({ columns: [{ ...counted, hasLevels: false }, counted], isDetailed: false });
/** The first column has 500 unseen values, but its categories are not known; the second has 11. */
const counts = Float64Array.of(0, 0, 500, 0, 0, 3, 11, 0);

test('a run stops when one column has more unknown values than allowed, if they can be known', () => {
  const check = (limit: string, read: number, isEnd = false) =>
    checkUnrecognized({ maxUnseen: readRejectLimit(limit) }, { counts }, layout, read, isEnd);
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
  assert.throws(() => checkUnrecognized(mismatches, { counts }, layout, 600, false), {
    code: 'too_many_mismatches',
    message: '3 of 600 values of "plan" do not fit its type',
  });
  const one = Float64Array.of(0, 0, 0, 0, 0, 1, 0, 0);
  const none = { maxMismatches: readRejectLimit('0') };
  assert.throws(() => checkUnrecognized(none, { counts: one }, layout, 1, true), {
    message: '1 of 1 value of "plan" does not fit its type',
  });
});

describe('without a limit, a run stops when most values mean nothing to the model', () => {
  const rows = 2000;
  const check = (column: CountedColumn, unseen: number, limit?: 'none') =>
    checkUnrecognized(
      { maxUnseen: limit },
      { counts: Float64Array.of(0, 0, unseen, 0) },
      new TallyLayout({ columns: [column], isDetailed: false }),
      rows,
      false,
    );
  const columnOf = (report: Parameters<typeof countedColumns>[1]): CountedColumn => {
    const features = ['plan', 'note'].map((name, index) => ({ name, index, type: undefined }));
    const learned = features.map(({ name }): LearnedColumn => ({ name, type: 'categorical', levels: ['x'] }));
    const [column] = countedColumns(features, report, learned);
    assert.ok(column !== undefined);
    return column;
  };

  it('but not because of a single value, as in an input with one row, unless a limit is given', () => {
    const column = columnOf({});
    const checkEnd = (unseen: number, read: number, limit?: string) =>
      checkUnrecognized(
        limit === undefined ? {} : { maxUnseen: readRejectLimit(limit) },
        { counts: Float64Array.of(0, 0, unseen, 0) },
        new TallyLayout({ columns: [column], isDetailed: false }),
        read,
        true,
      );
    checkEnd(1, 1);
    assert.throws(() => checkEnd(2, 2), { code: 'too_many_unseen' });
    assert.throws(() => checkEnd(1, 1, '50%'), {
      code: 'too_many_unseen',
      message: '1 of 1 value of "plan" is a category that the model does not know',
    });
  });

  it('but not in an input with fewer than ten rows, unless no value of any column is known', () => {
    const columns = [columnOf({}), { ...columnOf({}), name: 'note' }];
    const check = (rows: number, ...unseen: [number, number]) =>
      checkUnrecognized(
        {},
        { counts: Float64Array.from(unseen.flatMap(values => [0, 0, values, 0])) },
        new TallyLayout({ columns, isDetailed: false }),
        rows,
        true,
      );
    check(9, 9, 0);
    check(9, 9, 8);
    assert.throws(() => check(9, 9, 9), { code: 'too_many_unseen' });
    assert.throws(() => check(10, 10, 0), { code: 'too_many_unseen' });
  });

  it('but because of the only row, if the model knows none of its values: it may be a whole table', () => {
    const names = ['plan', 'tenure'];
    const columns = countedColumns(
      names.map((name, index) => ({ name, index, type: undefined })),
      {},
      [
        { name: 'plan', type: 'categorical', levels: ['x'] },
        { name: 'tenure', type: 'numerical', notation: 'point' },
      ],
    );
    const checkRow = (...counts: number[]) =>
      checkUnrecognized(
        {},
        { counts: Float64Array.from(counts) },
        new TallyLayout({ columns, isDetailed: false }),
        1,
        true,
      );
    checkRow(0, 0, 1, 0, 0, 0, 0, 0);
    assert.throws(() => checkRow(0, 0, 1, 0, 0, 1, 0, 0), {
      code: 'too_many_unseen',
      message:
        '1 of 1 value of "plan" is a category that the model does not know; most values of "tenure" mean nothing to the model either',
    });
  });

  it('and each column is named once', () => {
    const columns = [columnOf({})];
    const layout = new TallyLayout({ columns, isDetailed: false });
    const [plan] = columns;
    assert.ok(plan !== undefined);
    plan.stopsAbove = { missing: 0.5, mismatched: 0.5, unseen: 0.5 };
    plan.training = { name: 'plan', missing: 0, mismatched: 0, unseen: 0 };
    assert.throws(() => checkUnrecognized({}, { counts: Float64Array.of(80, 0, 20, 0) }, layout, 100, true), {
      message: /^\d+ of \d+ values of "plan" are [^;]+$/,
    });
  });

  it('in a column that matters, which are all columns if the report names no drivers among them', () => {
    for (const drivers of [undefined, [], [{ column: 'other', impact: 1 }]]) {
      const column = columnOf({ drivers });
      check(column, 1000);
      assert.throws(() => check(column, 1001), { code: 'too_many_unseen', severity: 'stopped' });
      check(column, rows, 'none');
    }
  });

  it('unless the column has less than 1% of the impact of all drivers', () => {
    const withImpact = (impact: number) =>
      columnOf({
        drivers: [
          { column: 'plan', impact },
          { column: 'note', impact: 99 },
        ],
      });
    assert.throws(() => check(withImpact(1), rows), { code: 'too_many_unseen' });
    check(withImpact(0.9), rows);
    check(withImpact(0), rows);
  });

  it('also if each of very many columns has a small impact', () => {
    const names = Array.from({ length: 500 }, (_, i) => `c${i}`);
    const weight = weightsOf(
      names.map((column, i) => ({ column, impact: i === 0 ? 0.001 : 0.002 })),
      names,
    );
    assert.deepEqual(
      names.filter(name => weight(name) < 1),
      ['c0'],
    );
  });

  it('of those that it knew in training: a column of rare categories had many others before', () => {
    const profile = {
      rows: 100,
      columns: [{ name: 'plan', missing: 0, mismatched: 0, unseen: 60 }],
      scores: [],
    };
    const column = columnOf({ profile });
    check(column, 1600);
    assert.throws(() => check(column, 1601), { code: 'too_many_unseen' });
  });
});

describe('the share of values', () => {
  const profile = (missing: number, unseen = 0) => ({
    rows: 1000,
    columns: [{ name: 'plan', missing, mismatched: 0, unseen }],
    scores: [],
  });
  const check = (missing: number, unseen: number, given: Parameters<typeof countedColumns>[1] = {}) => {
    const [column] = countedColumns([{ name: 'plan', index: 0, type: undefined }], given, [
      { name: 'plan', type: 'categorical', levels: ['x'] },
    ]);
    assert.ok(column);
    checkUnrecognized(
      {},
      { counts: Float64Array.of(missing, 0, unseen, 0) },
      new TallyLayout({ columns: [column], isDetailed: false }),
      7000,
      true,
    );
  };

  it('that are unknown is of the values that are there', () => {
    check(6400, 300);
    assert.throws(() => check(6400, 301), {
      code: 'too_many_unseen',
      message: '301 of 600 values of "plan" are categories that the model does not know',
    });
    // Fewer than 1% of the rows have a value.
    check(6940, 60);
    // In training, half of those that were there were unknown.
    check(6400, 450, { profile: profile(600, 200) });
    assert.throws(() => check(6400, 451, { profile: profile(600, 200) }), { code: 'too_many_unseen' });
  });

  it('that are missing may be above one half if training had at least half as many', () => {
    check(7000, 0);
    check(3500, 0, { profile: profile(0) });
    assert.throws(() => check(3501, 0, { profile: profile(0) }), {
      code: 'too_many_missing',
      severity: 'stopped',
      message: '3,501 of 7,000 values of "plan" are missing',
      hint: /--max-missing/,
    });
    check(5600, 0, { profile: profile(400) });
    assert.throws(() => check(5601, 0, { profile: profile(400) }), { code: 'too_many_missing' });
    check(7000, 0, { profile: profile(500) });
  });
});

describe('columns of which none matters', () => {
  const names = ['a', 'b', 'c', 'd', 'much'];
  const features = names.map((name, index) => ({ name, index, type: undefined }));
  const learned = names.map((name): LearnedColumn => ({ name, type: 'categorical', levels: ['x'] }));
  const drivers = names.map(column => ({ column, impact: column === 'much' ? 98.8 : 0.3 }));
  const check = (unknown: number) => {
    const columns = countedColumns(features, { drivers }, learned);
    const counts = Float64Array.from(names.flatMap((_, i) => [0, 0, i < unknown ? 100 : 0, 0]));
    checkUnrecognized({}, { counts }, new TallyLayout({ columns, isDetailed: false }), 100, true);
  };

  it('matter together: unknown columns with 1% of the impact stop a run', () => {
    check(3);
    assert.throws(() => check(4), {
      code: 'too_many_unseen',
      message:
        '100 of 100 values of "a" are categories that the model does not know; most values of "b", "c", "d" mean nothing to the model either',
    });
  });
});

test('a column that the input lacks with the consent of the user has no limit on missing values', () => {
  const features = ['a', 'b'].map((name, index) => ({ name, index, type: undefined }));
  const profile = { rows: 1000, columns: [], scores: [] };
  const check = (limits: object, allowed: readonly string[]) => {
    const columns = countedColumns(features, { profile }, undefined, allowed);
    const counts = Float64Array.from([100, 0, 0, 0, 5, 0, 0, 0]);
    checkUnrecognized(limits, { counts }, new TallyLayout({ columns, isDetailed: false }), 100, true);
  };
  const limits = { maxMissing: readRejectLimit('10%') };
  assert.throws(() => check(limits, []), { code: 'too_many_missing', message: /^100 of 100 values of "a"/ });
  check(limits, ['a']);
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
