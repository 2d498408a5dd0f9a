import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type ImportOptions, importReport } from '../../../src/training/imported/import-report.ts';
import { newFolder } from '../../support/folder.ts';
import { root } from '../../support/root.ts';

const fixture = (name: string): string => join(root, 'fixtures/models', name);

/** Imports models, and says what came of it: the notes, or the error. */
async function importer(t: TestContext) {
  const home = await newFolder(t);
  const outcome = (more: Omit<ImportOptions, 'id' | 'home'>): Promise<string> =>
    importReport({ ...more, id: 'r', home, ifExists: 'replace' }).then(
      ({ report }) => ['imported', ...report.notes].join('\n'),
      ({ code, message, hint = '' }) => `${code}: ${message} ${hint}`,
    );
  return { home, outcome };
}

describe('a model whose file does not say all', () => {
  it('is refused if the lists of LightGBM fit several columns, until one is given', async t => {
    const { outcome } = await importer(t);
    const given = { file: fixture('doubtful-ordered.txt'), expect: fixture('doubtful-ordered.csv') };
    assert.match(
      await outcome(given),
      /^bad_option: .* does not say which of the columns "visits", "size" have them .*--categories COLUMN=/,
    );
    assert.match(
      await outcome({ ...given, categories: { size: ['small', 'medium', 'large'] } }),
      /^imported/,
    );
    assert.match(
      await outcome({ ...given, categories: { size: ['small', 'large'] } }),
      /^bad_option: --categories has 2 of the column "size", but the model has 3 or more/,
    );
  });

  it('notes which column may have the list of LightGBM that another one has by position', async t => {
    const { outcome } = await importer(t);
    const given = { file: fixture('doubtful-explicit.txt'), expect: fixture('doubtful-explicit.csv') };
    assert.match(
      await outcome({ file: given.file }),
      /belong to columns by their order\. If plan had categories too/,
    );
    assert.match(await outcome(given), /^differs_from_expected: .*What the import assumed: .* If plan had/);
    assert.match(
      await outcome({ ...given, categories: { plan: ['basic', 'max', 'plus', 'pro'] } }),
      /^imported/,
    );
  });

  it('has the booleans and the text for missing values of CatBoost, and says what its threshold is', async t => {
    const { outcome } = await importer(t);
    const given = { file: fixture('doubtful-texts.json'), expect: fixture('doubtful-texts.csv') };
    const notes = await outcome(given);
    assert.match(notes, /^imported/);
    assert.match(notes, /predict gives "yes" above a probability of 0\.7 .*--threshold yes=0\.7/);
    assert.match(notes, /An empty category counts as "nan", with which Python seems to have filled/);
    const categories = { plan: ['nan', 'basic', 'plus', 'pro', 'max'] };
    assert.match(
      await outcome({ ...given, categories }),
      /^imported[\s\S]*--categories replaces those of "plan"/,
    );
    const wrong = { plan: ['basic', 'plus', 'pro', 'max'] };
    assert.match(await outcome({ ...given, categories: wrong }), /^differs_from_expected/);
  });

  it('notes categories that replace those of the file, and that the order of classes is not known', async t => {
    const { outcome } = await importer(t);
    const file = fixture('telecom-lightgbm.txt');
    const given = { file, classes: ['no', 'yes'] };
    const contract = ['rolling', '24 months', '12 months'];
    const notes = await outcome({ ...given, categories: { contract } });
    assert.match(
      notes,
      /--categories replaces those of "contract" in the file, 12 months, 24 months, rolling:/,
    );
    assert.match(notes, /Nothing in the file shows whether --classes are in the right order/);
    const compared = await outcome({ ...given, expect: fixture('telecom-lightgbm.csv') });
    assert.doesNotMatch(compared, /right order|replaces/);
  });

  it('is refused with names that nobody means', async t => {
    const { outcome } = await importer(t);
    const file = fixture('telecom-lightgbm.txt');
    for (const [classes, what] of [
      [['no', ''], 'a name is empty'],
      [['no', ' '], 'a name is empty'],
      [['no', ' no'], '"no" is there twice, or differs only by spaces'],
    ] as const)
      assert.ok((await outcome({ file, classes })).startsWith(`bad_option: --classes: ${what}`), what);
    const features = ['a', 'b', 'a ', ''];
    const positions = await outcome({ file: fixture('lightgbm-4.7-positions.txt'), features });
    assert.match(positions, /^bad_option: --features: a name is empty/);
  });
});

describe('a folder of MLflow with a signature', () => {
  const write = async (home: string, file: string, columns: readonly (readonly [string, string])[]) => {
    await copyFile(fixture(file), join(home, 'model.txt'));
    const inputs = JSON.stringify(columns.map(([name, type]) => ({ name, type })));
    await writeFile(
      join(home, 'MLmodel'),
      `flavors:\n  lightgbm:\n    data: model.txt\nsignature:\n  inputs: '${inputs}'\n`,
    );
  };

  it('names the columns of a model that has only positions, and gives spaces back', async t => {
    const { home, outcome } = await importer(t);
    const names = ['monthly charges', 'age', 'balance', 'constant'].map(name => [name, 'double'] as const);
    await write(home, 'lightgbm-4.7-positions.txt', names);
    assert.match(await outcome({ file: home }), /^imported[\s\S]*Names are those of the signature of MLflow/);
    await write(home, 'lightgbm-4.7-positions.txt', names.slice(1));
    assert.match(
      await outcome({ file: home }),
      /^bad_model: MLmodel: the signature has 3 columns, but the model has 4 features .*not the folder/,
    );
  });

  it('tells which of the columns that lists fit are texts', async t => {
    const { home, outcome } = await importer(t);
    const expect = fixture('doubtful-ordered.csv');
    const columns = (visits: string, size: string, plan = 'plan') =>
      write(home, 'doubtful-ordered.txt', [
        ['visits', visits],
        ['size', size],
        [plan, 'string'],
      ]);
    await columns('long', 'string');
    assert.match(await outcome({ file: home, expect }), /^imported/);
    await columns('string', 'long');
    assert.match(await outcome({ file: home, expect }), /^differs_from_expected/);
    await columns('long', 'string', 'tariff');
    assert.match(await outcome({ file: home }), /^bad_model: MLmodel: the signature has no column "plan"/);
  });

  it('is refused if it says another type than the model', async t => {
    const { home, outcome } = await importer(t);
    await write(home, 'doubtful-explicit.txt', [
      ['code', 'long'],
      ['plan', 'string'],
    ]);
    const expect = fixture('doubtful-explicit.csv');
    assert.match(await outcome({ file: home, expect }), /^imported/);
    await write(home, 'doubtful-explicit.txt', [
      ['code', 'long'],
      ['plan', 'long'],
    ]);
    assert.match(
      await outcome({ file: home }),
      /^bad_model: MLmodel: the column "code" is of the type long, but the model has categories such as "basic"/,
    );
  });
});
