import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { isTested } from '../../../src/base/contract/schemas.ts';
import { testingResults } from '../../../src/models/store/report-store.ts';
import { type ImportOptions, importReport } from '../../../src/training/imported/import-report.ts';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';
import { expectedNumbers } from '../../support/service/imported-home.ts';
import { fixture } from '../../support/web/uploaded.ts';

const history = join(root, 'fixtures/telecom-history.csv');
const file = join(root, 'fixtures/models/telecom-lightgbm.txt');
/** A model of a number, and the columns that it takes. */
const ofNumbers = join(root, 'fixtures/models/lightgbm-2.3-regression.txt');
const taken = 'monthly_charges,age,balance,constant';

/** A file in a folder, which is the home of an import. */
async function homeWith(t: TestContext, text: string): Promise<{ home: string; test: string }> {
  const home = await newFolder(t, { 'labelled.csv': text });
  return { home, test: join(home, 'labelled.csv') };
}

/** What an import with labelled rows is given, whose error is the same in each test. */
const given = (home: string, more: Partial<ImportOptions> = {}): ImportOptions => ({
  ...{ file, id: 'r', home, predict: 'churned', classes: ['no', 'yes'], test: history },
  ...more,
});

describe('an imported model that labelled rows test', () => {
  it('has the metrics that Python computes of the predictions of LightGBM', async t => {
    const home = await newFolder(t);
    const { report } = await importReport(given(home));
    const quality = isTested(report) ? report.quality : undefined;
    assert.deepEqual(
      [quality?.testing_rows, quality?.accuracy, quality?.auc, quality?.log_loss, quality?.confusion],
      [
        ...[5000, 0.8284, 0.879248, 0.393578],
        [
          [3448, 191],
          [667, 694],
        ],
      ],
    );
    assert.equal(report.tech_specs.testing_accuracy, '82.8%');
    assert.deepEqual(report.warnings, []);
    assert.equal(report.drivers[0]?.column, 'contract');
    assert.ok(
      report.notes.some(note => note.startsWith('The metrics are of the rows in telecom-history.csv')),
    );
    const results = (await (await testingResults(home, 'r')).toArray()).join('').split('\n');
    assert.match(
      results[0] ?? '',
      /,churned,actual_churned,predicted_churned,probability_no,probability_yes$/,
    );
    assert.equal(results.length, 5002);
  });

  it('has a warning if it ranks a class the wrong way round, as with classes in a wrong order', async t => {
    const { home, test } = await homeWith(t, await fixture('telecom-history.csv', 500));
    const { report } = await importReport(given(home, { test, classes: ['yes', 'no'] }));
    assert.deepEqual(
      report.warnings.map(({ code }) => code),
      ['worse_than_chance', 'no_better_than_majority'],
    );
    assert.match(report.warnings[0]?.message ?? '', /AUC is 0\.1\d, where 0\.5 is chance\. Check the order/);
  });

  it('is refused for labels that are not its classes, and for none', async t => {
    const home = await newFolder(t);
    const outcome = (more: Partial<ImportOptions>): Promise<unknown> =>
      importReport(given(home, more)).then(
        () => 'no error',
        ({ code, message, hint = '' }) => [code, message, hint].join(': '),
      );
    assert.equal(
      await outcome({ classes: ['a', 'b'] }),
      'bad_option: "churned" has labels that are no classes of the model: "no", "yes"; its classes are "a", "b": Check --predict, and give --classes with the sorted labels of the training, perhaps "no", "yes".',
    );
    const rows = (await fixture('telecom-history.csv', 29)).trimEnd().split('\n');
    const test = join(home, 'unlabelled.csv');
    await writeFile(test, rows.map((row, i) => (i === 0 ? row : row.replace(/[^,]*$/, ''))).join('\n'));
    assert.match(String(await outcome({ test })), /^too_few_rows: no row has a value in "churned"/);
    assert.match(String(await outcome({ predict: undefined })), /^bad_option: --test needs the column/);
    for (const test of ['-', '/dev/null'])
      assert.match(String(await outcome({ test })), /^bad_option: --test cannot be a pipe/);
    assert.match(String(await outcome({ predict: 'churn' })), /^no_such_column: .*Did you mean "churned"/);
  });

  it('has the errors and R² of its numbers', async t => {
    const { rows, predictions } = await expectedNumbers();
    // Each prediction is 1 too low or too high.
    const lines = rows.map((row, i) =>
      [...row, (predictions[i]?.[0] ?? 0) + (i % 2 === 0 ? 1 : -1)].join(','),
    );
    const { home, test } = await homeWith(t, `${[`${taken},amount`, ...lines].join('\n')}\n`);
    const { report } = await importReport({ file: ofNumbers, id: 'r', home, predict: 'amount', test });
    const { quality } = report;
    assert.ok(quality !== undefined && 'rmse' in quality);
    assert.deepEqual(
      [quality.rmse, quality.mae, quality.testing_rows].map(each => Number(each.toFixed(6))),
      [...[1, 1, rows.length]],
    );
    assert.equal(report.tech_specs.testing_r2, quality.r2?.toFixed(3));
    assert.ok(report.drivers.length > 0 && report.classes === undefined);
    const results = (await (await testingResults(home, 'r')).toArray()).join('').split('\n');
    assert.match(results[0] ?? '', /,amount,actual_amount,predicted_amount$/);
    assert.ok(results[1]?.endsWith(`,${predictions[0]?.[0]}`), results[1]);
    const numbers = { ...given(home, { test, predict: 'amount', id: 'classes' }), file: ofNumbers };
    await assert.rejects(importReport(numbers), { code: 'bad_option' });
    const texts = importReport({ file: ofNumbers, id: 'x', home, predict: 'churned', test: history });
    await assert.rejects(texts, { code: 'no_such_column' });
  });

  it('has a note if its rows are few', async t => {
    const { home, test } = await homeWith(t, `${taken},amount\n1,2,3,1,5\n9,40,3,1,7\n`);
    const { report } = await importReport({ file: ofNumbers, id: 'r', home, predict: 'amount', test });
    assert.ok(report.notes.includes('R² and errors are of only 2 testing rows, and may be far off.'));
  });

  it('may have more numbers as classes than a training takes for classes', async t => {
    const home = await newFolder(t);
    const [test, file] = [join(home, 'coded.csv'), join(home, 'model.txt')];
    const trees = Array.from(
      { length: 25 },
      (_, i) =>
        `Tree=${i}\nnum_leaves=2\nnum_cat=0\nsplit_feature=0\nsplit_gain=1\nthreshold=${i}.5\ndecision_type=2\nleft_child=-1\nright_child=-2\nleaf_value=0 1\nleaf_weight=1 1\nleaf_count=1 1\ninternal_value=0\ninternal_weight=0\ninternal_count=2\nis_linear=0\nshrinkage=1\n\n\n`,
    );
    await writeFile(
      file,
      `tree\nversion=v4\nnum_class=25\nnum_tree_per_iteration=25\nlabel_index=0\nmax_feature_idx=0\nobjective=multiclass num_class:25\nfeature_names=x\nfeature_infos=[0:25]\n\n${trees.join('')}end of trees\n\nparameters:\nend of parameters\n\npandas_categorical:null\n`,
    );
    const codes = Array.from({ length: 25 }, (_, i) => String(i));
    const rows = (classes: readonly string[]) =>
      `x,code\n${classes.map(code => `${code},${code}\n`).join('')}`;
    await writeFile(test, rows(codes));
    const given = { file, id: 'r', home, predict: 'code', test, classes: codes };
    const { report } = await importReport(given);
    assert.ok(isTested(report));
    assert.equal(report.quality.testing_rows, 25);
    await writeFile(test, rows([...codes, '25']));
    await assert.rejects(importReport({ ...given, id: 's' }), {
      code: 'numeric_target',
      hint: /^Name the column/,
    });
  });

  it('names what to do about a column that it does not predict', async t => {
    const lines = Array.from({ length: 60 }, (_, i) => `${i},${i},${i},1,customer ${i}`);
    const { home, test } = await homeWith(t, `${[`${taken},name`, ...lines].join('\n')}\n`);
    for (const [predict, code] of [
      ['name', 'not_numbers'],
      ['age', 'bad_option'],
    ] as const)
      await assert.rejects(importReport({ file: ofNumbers, id: 'r', home, predict, test }), {
        code,
        hint: 'Name the column that the model predicts, with what came true: --predict COLUMN.',
      });
  });

  it('knows its classes in another spelling', async t => {
    const text = await fixture('telecom-history.csv', 500);
    const { home, test } = await homeWith(t, text.replace(/,no$/gm, ',0.0').replace(/,yes$/gm, ',1.0'));
    const { report } = await importReport(given(home, { test, classes: undefined }));
    assert.ok(isTested(report));
    assert.deepEqual(report.classes, ['0', '1']);
    assert.ok(Number(report.quality.auc) > 0.85, String(report.quality.auc));
  });

  it('finds the columns whose names have spaces by its names with underscores', async t => {
    const text = await fixture('telecom-history.csv', 500);
    const { home, test } = await homeWith(t, text.replace('support_calls', 'support calls'));
    const { report } = await importReport(given(home, { test }));
    assert.ok(report.columns.some(({ name }) => name === 'support calls'));
  });
});
