import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { newFolder } from '../../support/folder.ts';
import { exits, rowcast } from '../../support/in-process.ts';
import { root } from '../../support/root.ts';
import type { Finished } from '../../support/rowcast.ts';

async function bench(t: TestContext) {
  const cwd = await newFolder(t);
  const run = (...args: string[]): Promise<Finished> => rowcast(args, { cwd });
  return { cwd, run, write: (name: string, text: string) => writeFile(join(cwd, name), text) };
}

/** A tree that asks whether a number is at most a threshold. */
const stump = (column: string, threshold: number): string =>
  `tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=0
objective=regression
feature_names=${column}
feature_infos=[0:1]

Tree=0
num_leaves=2
num_cat=0
split_feature=0
split_gain=1
threshold=${threshold}
decision_type=2
left_child=-1
right_child=-2
leaf_value=1 2
leaf_weight=1 1
leaf_count=1 1
internal_value=0
internal_weight=0
internal_count=2
is_linear=0
shrinkage=1


end of trees

feature_importances:
${column}=1

parameters:
end of parameters

pandas_categorical:null
`;

describe('an imported model', () => {
  it('is compared with the missing values that its report has', async t => {
    const { run, write } = await bench(t);
    await write('model.txt', stump('x', -1));
    await write('expected.csv', 'x,raw_score\n0.1,2\n-9,1\n0.7,2\n');
    const args = 'model.txt --report r --expect expected.csv';
    assert.equal((await run('import', ...args.split(' '))).code, 0);
    // A missing value counts as 0, which goes right here.
    const other = await run('import', ...`${args} --if-exists replace --nulls=-9`.split(' '));
    assert.deepEqual([other.code, /row 2/.test(other.stderr)], [2, true], other.stderr);
  });

  it('gets the numbers of a column in single precision as a data frame has them', async t => {
    const { cwd, run, write } = await bench(t);
    // In single precision, 0.1 is a little more.
    await write('model.txt', stump('f32', 0.1));
    await exits(run('import', 'model.txt', '--report', 'r'), 0);
    const file = join(root, 'fixtures/parquet/duckdb-v1.parquet');
    for (const output of ['out.csv', 'out.jsonl'])
      await exits(run('score', file, '--report', 'r', '--keep', 'f32', '-o', output), 0);
    const rows = (await readFile(join(cwd, 'out.csv'), 'utf8')).split('\n');
    assert.ok(rows.includes('0.1,2') && !rows.includes('0.1,1'), rows.slice(0, 20).join(' '));
    assert.match(await readFile(join(cwd, 'out.jsonl'), 'utf8'), /^\{"f32":0\.1,"prediction":2\}$/m);
    await write('in.csv', 'f32\n0.1\n0.2\n');
    await run('score', 'in.csv', '--report', 'r', '-o', 'text.csv');
    assert.equal(await readFile(join(cwd, 'text.csv'), 'utf8'), 'f32,prediction\n0.1,1\n0.2,2\n');
  });

  it('has an empty category where its library had one, also in a column with an unusual name', async t => {
    const { cwd, run, write } = await bench(t);
    const text = stump('constructor', 0)
      .replace('feature_infos=[0:1]', 'feature_infos=0:1:2')
      .replace('num_cat=0', 'num_cat=1')
      .replace('decision_type=2', 'decision_type=1')
      .replace('left_child', 'cat_boundaries=0 1\ncat_threshold=5\nleft_child')
      .replace('pandas_categorical:null', 'pandas_categorical:[["", "b", "c"]]');
    await write('model.txt', text);
    await exits(run('import', 'model.txt', '--report', 'r'), 0);
    await write('in.csv', 'constructor,id\n,1\nb,2\nc,3\nz,4\n');
    await run(...'score in.csv --report r --max-unseen none --max-missing none -o o.csv'.split(' '));
    const expected = 'constructor,id,prediction\n,1,1\nb,2,2\nc,3,1\nz,4,2\n';
    assert.equal(await readFile(join(cwd, 'o.csv'), 'utf8'), expected);
  });

  it('predicts a number for each of two classes that are not normalised', async t => {
    const { cwd, run, write } = await bench(t);
    const one = stump('x', 0.5);
    const tree = /Tree=0[\s\S]*?shrinkage=1\n/.exec(one)?.[0] ?? '';
    const text = one
      .replace('objective=regression', 'objective=multiclassova num_class:2 sigmoid:1')
      .replace('num_class=1', 'num_class=2')
      .replace('num_tree_per_iteration=1', 'num_tree_per_iteration=2')
      .replace(tree, `${tree}\n\n${tree.replace('Tree=0', 'Tree=1')}`);
    await write('model.txt', text);
    const share = 1 / (1 + Math.exp(-1));
    await write('e.csv', `x,probability_a,probability_b\n0,${share},${share}\n`);
    await exits(run('import', 'model.txt', '--report', 'r', '--classes', 'a,b', '--expect', 'e.csv'), 0);
    await write('in.csv', 'x\n0\n');
    await exits(run('score', 'in.csv', '--report', 'r', '--decimals', '3', '-o', 'o.csv'), 0);
    assert.match(await readFile(join(cwd, 'o.csv'), 'utf8'), /^x,\w+_a,\w+_b\n0,0\.731,0\.731\n$/);
  });
});
