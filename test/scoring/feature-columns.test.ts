import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import type { LooseReport } from '../../src/base/contract/schemas.ts';
import { csvLayout } from '../../src/formats/csv/csv-layout.ts';
import {
  chooseFeatures,
  type FeatureColumn,
  type SentOptions,
  withOrders,
} from '../../src/scoring/feature-columns.ts';
import { read } from '../support/csv/read.ts';

const layoutOf = (header: string) => csvLayout({ header: read(header).head });

const choose = (
  header: string,
  report: Partial<LooseReport> = {},
  options: SentOptions = {},
): FeatureColumn[] =>
  chooseFeatures(layoutOf(header), { tech_specs: {}, drivers: [], ...report }, options, 'in.csv');

const columnsOf = (...names: string[]) => names.map(name => ({ name }));
/** What is known of records that name their own columns. */
const recordsOf = (...names: string[]) => ({
  names,
  columnsHint: undefined,
  laterHeader: () => undefined,
  readAs: {},
});

const names = (sent: readonly FeatureColumn[]): string[] => sent.map(({ name }) => name);
const refused = (code: string, message: RegExp, hint = /./) => ({
  code,
  message,
  hint,
  severity: 'refused',
  location: { file: 'in.csv', line: 1 },
});

const refusedIn = (file: string, name: string) => ({
  code: 'missing_columns',
  message: `the report needs a column that the input does not have: ${name}`,
  location: { file, line: 1 },
});

describe('the columns that are sent', () => {
  it('are those that the report lists, with their index in the input and their type', () => {
    const columns = [{ name: 'c', type: 'categorical' }, { name: 'a' }];
    assert.deepEqual(choose('a,b,c\n', { columns, predicts: 'b' }), [
      { name: 'c', index: 2, type: 'categorical' },
      { name: 'a', index: 0, type: undefined },
    ]);
  });

  it('are all but the predicted one if the report lists none', () => {
    assert.deepEqual(names(choose('a,b,c\n', { predicts: 'b' })), ['a', 'c']);
    assert.deepEqual(names(choose('a,b,c\n')), ['a', 'b', 'c']);
  });

  it('may be a hundred thousand, since each is a constant-time lookup', { timeout: 30_000 }, () => {
    const all = Array.from({ length: 100_000 }, (_, index) => `c${index}`);
    assert.deepEqual(names(choose(`${all.join()}\n`)), all);
    assert.throws(() => choose(`${all.join()},c0\n`), refused('duplicate_columns', /"c0"$/));
  });

  it('are the given ones without the dropped ones, each once', () => {
    const report = { columns: columnsOf('a', 'b', 'a') };
    assert.deepEqual(names(choose('a,b,c\n', report, { features: ['c', 'a', 'c'] })), ['c', 'a']);
    assert.deepEqual(names(choose('a,b,c\n', report, { excludeFeatures: ['b'] })), ['a']);
    assert.deepEqual(names(choose('a,b,c\n', {}, { features: ['c', 'a'], excludeFeatures: ['c'] })), ['a']);
  });

  it('have the definition’s type, which overrides the report’s', () => {
    const report = { columns: [{ name: 'a', type: 'numerical' }, { name: 'constructor' }] };
    const [a, b] = choose('a,constructor\n', report, { types: { a: 'categorical' } });
    assert.deepEqual([a?.type, b?.type], ['categorical', undefined]);
  });

  it('may be missing from the input only with allowMissing', () => {
    const report = { columns: columnsOf('a', 'x', 'y') };
    assert.throws(
      () => choose('a,b\n', report),
      refused('missing_columns', /needs 2 columns .*"x", "y"/, /^Add them to the input, .*--allow-missing/),
    );
    const one = { columns: columnsOf('a', 'x') };
    assert.throws(() => choose('a,b\n', one), refused('missing_columns', /a column .*"x"/, /^Add it to the/));
    assert.deepEqual(names(choose('a,b\n', report, { allowMissing: true })), ['a']);
    assert.deepEqual(names(choose('a,b\n', report, { excludeFeatures: ['b'], allowMissing: true })), ['a']);
  });

  it('are found in the names of folders, which is said instead of --allow-missing', () => {
    const columns = columnsOf('plan', 'active', 'age');
    const file = 's3://b/plan=basic/active=true/part=0.parquet';
    assert.throws(
      () => chooseFeatures(layoutOf('age,part\n'), { columns }, {}, file),
      ({ code, hint }: { code: string; hint: string }) => {
        assert.equal(code, 'missing_columns');
        assert.match(
          hint,
          /names of its folders have "plan", "active", but the file does not\. .*hive_partitioning/,
        );
        return !hint.includes('--allow-missing');
      },
    );
  });

  it('that folders name are written into the files by a command for their format', () => {
    for (const [file, reader, to] of [
      ['part-0.csv.gz', 'read_csv', 'all.csv'],
      ['part-0.jsonl', 'read_json', 'all.jsonl'],
      ['part-0.parquet', 'read_parquet', 'all.parquet'],
    ] as const)
      assert.throws(
        () =>
          chooseFeatures(layoutOf('age\n'), { columns: columnsOf('plan', 'age') }, {}, `plan=basic/${file}`),
        { hint: new RegExp(`${reader}\\('…', hive_partitioning.*TO '${to}'`) },
      );
  });

  it('may be absent from the first records that name their own columns, if most training rows lacked them', () => {
    const columnOf = (name: string, missing: number) => ({ name, missing, mismatched: 0, unseen: 0 });
    const profile = { rows: 100, columns: [columnOf('age', 0), columnOf('coupon', 51)], scores: [] };
    const columns = columnsOf('age', 'coupon', 'plan');
    const from = (absent: readonly string[] | undefined, names = ['age', 'plan', 'coupon']) =>
      chooseFeatures({ ...recordsOf(...names), absent }, { columns, profile }, {}, 'in');
    assert.deepEqual(names(from(['coupon'])), ['age', 'coupon', 'plan']);
    assert.throws(() => from(['age']), refusedIn('in', '"age"'));
    // A header has all columns.
    assert.throws(() => from(undefined, ['age', 'plan']), refusedIn('in', '"coupon"'));
  });

  it('are named as the report does if the input has them in another case, in a header or in each record', () => {
    for (const [absent, hint] of [
      [undefined, /upper and lower case\. .*: --skip-lines 1 --names ID,age,plan$/],
      [[], /upper and lower case\. Rename them in the input\.$/],
    ] as const) {
      const layout = { ...recordsOf('ID', 'Age', 'PLAN'), absent };
      assert.throws(() => chooseFeatures(layout, { columns: columnsOf('age', 'plan') }, {}, 'in'), { hint });
    }
  });

  it('are suggested for columns of the report that the input has under similar names', () => {
    const report = { columns: columnsOf('tenure', 'monthly', 'zip') };
    assert.throws(
      () => choose('Tenure,monthly_,x\n', report),
      refused(
        'missing_columns',
        /"tenure", "monthly", "zip"$/,
        /^Did you mean "tenure" for "Tenure", "monthly" for "monthly_"\? Otherwise, check that it is the right file/,
      ),
    );
  });

  it('cannot be given or dropped if the input lacks them', () => {
    for (const options of [{ features: ['a', 'zz'] }, { excludeFeatures: ['zz'] }])
      assert.throws(
        () => choose('a,b\n', {}, { ...options, allowMissing: true }),
        refused('missing_columns', /^the input has no column "zz"$/, /It has: "a", "b"/),
      );
  });

  it('cannot be empty', () => {
    assert.throws(
      () => choose('a,b\n', {}, { excludeFeatures: ['a', 'b'] }),
      refused('no_columns', /no columns/, /--exclude-features/),
    );
    assert.throws(() => choose('a\n', { predicts: 'a' }), refused('no_columns', /no columns/));
  });

  it('that are missing from a one-column header suggest another delimiter', () => {
    const report = { columns: [{ name: 'a' }] };
    assert.throws(() => choose('a;b\n', report), refused('missing_columns', /"a"/, /--delimiter ';'/));
    assert.throws(() => choose('a\tb\n', report), refused('missing_columns', /"a"/, /--delimiter tab/));
  });

  it('are not looked for in a first line that is probably a row', () => {
    const row = '6,148,0.627\n';
    const said = /^every name in the header looks like a value \(6, 148, 0\.627\)/;
    assert.throws(() => choose(row), refused('bad_header', said, /--names NAME,NAME,….*--features/));
    const columns = columnsOf('a', 'b');
    assert.throws(
      () => choose(row, { columns }),
      refused('bad_header', said, /those of the report are: "a", "b"/),
    );
    assert.throws(() => choose('6;148\n', { columns }), refused('missing_columns', /./));
    assert.throws(
      () => choose('6,Berlin\n', { columns }),
      refused(
        'missing_columns',
        /needs 2 columns/,
        /^If the first line is a row, .*--names.*; otherwise check that it is the right file/,
      ),
    );
    assert.deepEqual(names(choose(row, {}, { features: ['6'] })), ['6']);
    assert.deepEqual(names(choose(row, {}, { names: ['6', '148', '0.627'] })), ['6', '148', '0.627']);
    assert.deepEqual(names(choose(row, { columns: [{ name: '148' }] })), ['148']);
  });
});

test('an order of day and month is for the dates of a model on this machine', () => {
  const features = [{ name: 'since', order: 'dmy' as const }];
  const date = { name: 'since', type: 'date', piece: 'day', order: 'mdy' } as const;
  const amount = { name: 'amount', type: 'numerical', notation: 'point' } as const;
  assert.deepEqual(withOrders([date, amount], features), [{ ...date, order: 'dmy' }, amount]);
  assert.equal(withOrders(undefined, [{ name: 'since' }]), undefined);
  assert.throws(() => withOrders(undefined, features), {
    code: 'bad_option',
    message: /a service reads dates in the order of day and month that its model learned/,
  });
  assert.throws(() => withOrders([amount], features), { message: /the report has no dates in "since"/ });
});
