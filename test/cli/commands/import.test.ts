import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { savedModels } from '../../models/imported/files.ts';
import { commandsIn } from '../../support/cli/commands.ts';
import { exits } from '../../support/in-process.ts';
import { root } from '../../support/root.ts';

const models = join(root, 'fixtures/models');
const model = (name: string): string => join(models, name);

async function bench(t: TestContext) {
  const commands = await commandsIn(t);
  const refused = (line: string, ...says: RegExp[]) => exits(commands.run(`import ${line}`), 2, ...says);
  return { ...commands, refused };
}

/** The rows that a library has scored, as a CSV, with these columns after those of the model. */
function rowsOf(name: string, more: Readonly<Record<string, (row: number) => unknown>> = {}): string {
  const saved = savedModels(name)[0];
  assert.ok(saved);
  const header = [...saved.columns, ...Object.keys(more)].join(',');
  const rows = saved.rows.map((row, i) =>
    [...row.map(cell => cell ?? ''), ...Object.values(more).map(of => of(i))].join(','),
  );
  return `${[header, ...rows].join('\n')}\n`;
}

describe('rowcast import', () => {
  it('makes a report that scores rows as the library does, and says where it comes from', async t => {
    const { run, read, write, json } = await bench(t);
    const name = 'xgboost-3.4-binary-json';
    const [saved] = savedModels(name);
    const file = model(`${name}.json`);
    const imported = await exits(run(`import ${file} --report churn --classes no,yes`), 0);
    assert.match(imported.stdout, /^churn: no, yes\n\n {2}algorithm {2}XGBoost, \d+ trees\n$/);
    await write('in.csv', rowsOf(name));
    await exits(run('score in.csv --report churn -o out.csv'), 0);
    const [, ...lines] = (await read('out.csv')).trimEnd().split('\n');
    const { fround } = Math;
    for (const [row, line] of lines.entries()) {
      const margin = fround(saved?.raw[row]?.[0] ?? Number.NaN);
      const expected = fround(1 / fround(fround(Math.exp(-margin)) + 1));
      const found = Number(line.split(',').at(-1));
      assert.ok(Math.abs(found - expected) <= 2 ** -24, `row ${row + 1}: ${found}, not ${expected}`);
    }
    const { library, objective, features, file_sha256 } = (await json('report churn --json')).imported_from;
    assert.deepEqual([library, objective, features], ['XGBoost', 'binary:logistic', saved?.columns.length]);
    assert.match(file_sha256, /^[0-9a-f]{64}$/);
    const listed = await run('reports');
    assert.match(listed.stdout, /^churn +– +no, yes +none: XGBoost/m);
  });

  it('makes no report if a prediction differs from that of the library, and names the first row', async t => {
    const { run, write, refused } = await bench(t);
    const name = 'xgboost-3.4-binary-json';
    const [saved] = savedModels(name);
    const raw = (row: number): number => (saved?.raw[row]?.[0] ?? 0) + (row === 6 ? 1e-6 : 0);
    await write('e.csv', rowsOf(name, { raw_score: raw }));
    const file = model(`${name}.json`);
    await refused(
      `${file} --report r --expect e.csv`,
      /e\.csv: raw_score of row 7 is \S+, but the model gives \S+; 39 of 40 numbers are identical/,
      /No report was made/,
    );
    assert.equal((await run('reports')).stdout, '');
    await write(
      'other.csv',
      rowsOf(name, { raw_score: row => saved?.raw[row]?.[0], probability_Yes: () => 0.5 }),
    );
    await refused(
      `${file} --report r --expect other.csv`,
      /has the column "probability_Yes", which the model does not predict/,
      /--classes/,
    );
    await write('none.csv', rowsOf(name));
    await refused(
      `${file} --report r --expect none.csv`,
      /has no column with predictions of the library/,
      /raw_score/,
    );
  });

  it('asks for what the file does not say', async t => {
    const { refused, write, run } = await bench(t);
    await refused(
      `${model('lightgbm-4.7-positions.txt')} --report r`,
      /the file has no names for the \d+ features of the model, only positions/,
      /--features/,
    );
    await refused(
      `${model('xgboost-1.7-binary-json.json')} --report r`,
      /the file does not have the categories of the column "/,
      /--categories .*=A,B,C/,
    );
    const classes = `${model('xgboost-3.4-binary-json.json')} --report r --classes`;
    await refused(`${classes} a,b,c`, /--classes has 3 different names, but the model has 2 classes/);
    await refused(`${model('xgboost-3.4-gamma.json')} --report r --features a,b`, /--features has 2 names/);
    await refused(
      `${model('lightgbm-2.3-regression.txt')} --report r --classes a,b`,
      /the model predicts a number, so it has no classes/,
    );
    await write('colors.txt', 'blue\ngreen\n');
    await refused(
      `${model('lightgbm-4.7-binary.txt')} --report r --categories nothing=@colors.txt`,
      /--categories: the model has no column "nothing"/,
    );
    await refused(model('lightgbm-4.7-binary.txt'));
    const [, column = ''] =
      /of the column "(\w+)"/.exec(
        (await run(`import ${model('xgboost-1.7-binary-json.json')} --report r`)).stderr,
      ) ?? [];
    await refused(
      `${model('xgboost-1.7-binary-json.json')} --report r --categories ${column}=a`,
      new RegExp(`--categories has 1 of the column "${column}", but the model has \\d or more`),
    );
  });

  it('refuses what it does not read exactly, and never opens a pickle', async t => {
    const { refused, write } = await bench(t);
    await refused(`${model('lightgbm-4.7-linear.txt')} --report r`, /linear/, /unsupported_model/);
    await refused(`${model('catboost-1.2-counters.json')} --report r`, /counters/);
    await write('m.pkl', Buffer.from([0x80, 4, 0x95, 0, 0, 0, 0, 0, 0, 0, 0, 0x2e]));
    await refused('m.pkl --report r', /a pickle of Python/, /never opened/, /save_model/);
    await write('cut.txt', (await readFile(model('lightgbm-4.7-binary.txt'))).subarray(0, 3000));
    await refused('cut.txt --report r', /bad_model/);
    await refused('nothing.txt --report r', /does not exist/);
  });

  it('replaces or keeps a report only if it is told to', async t => {
    const { run, json, refused } = await bench(t);
    const file = model('lightgbm-2.3-regression.txt');
    await exits(run(`import ${file} --report r --predict amount`), 0);
    await refused(`${file} --report r`, /there is already a report "r"/, /--if-exists replace/);
    const kept = await json(`import ${file} --report r --if-exists skip --json`);
    assert.equal(kept.predicts, 'amount');
    const { stdout } = await exits(run(`import ${file} --report r --if-exists replace --json`), 0);
    assert.equal(JSON.parse(stdout).predicts, undefined);
  });

  it('uses as many iterations as it is told to', async t => {
    const { json, refused } = await bench(t);
    const file = model('lightgbm-2.3-regression.txt');
    const two = await json(`import ${file} --report r --iterations 2 --json`);
    const { trees, iterations } = two.imported_from;
    assert.deepEqual([trees, iterations.used], [2, 2]);
    assert.ok(iterations.all > 2);
    await refused(`${file} --report q --iterations some`, /neither best, all nor a number/);
  });
});
