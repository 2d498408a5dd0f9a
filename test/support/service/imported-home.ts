import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { importReport } from '../../../src/training/imported/import-report.ts';
import { newFolder, sharedFolder } from '../folder.ts';
import { root } from '../root.ts';
import type { Scope } from '../shared.ts';
import { copyHome } from './history.ts';

const fixture = (name: string): string => join(root, 'fixtures/models', `lightgbm-${name}`);

/**
 * A data directory of the test's own with imported reports: `number` predicts an amount, `numbers` three numbers by
 * name, `classes` the classes no and yes, and `unbounded` a number that is infinite where x is above 5.
 */
export async function importedHome(t: Scope): Promise<string> {
  imported ??= importModels();
  const home = await newFolder(t);
  await copyHome(await imported, home);
  return home;
}

let imported: Promise<string> | undefined;

async function importModels(): Promise<string> {
  const home = await sharedFolder();
  const unbounded = join(home, 'unbounded.txt');
  await writeFile(unbounded, unboundedModel);
  await importReport({ home, id: 'number', file: fixture('2.3-regression.txt'), predict: 'amount' });
  await importReport({
    home,
    id: 'numbers',
    file: fixture('4.7-positions.txt'),
    features: ['monthly_charges', 'age', 'balance', 'constant'],
    classes: ['low', 'high', 'mid'],
  });
  const file = fixture('4.7-binary.txt');
  await importReport({ home, id: 'classes', file, classes: ['no', 'yes'], predict: 'churn' });
  await importReport({ home, id: 'unbounded', file: unbounded });
  return home;
}

/** Its first row has an amount for a report of `importedHome`, and so on: rows of a CSV with their header. */
export const importedRows = (count: number): string =>
  [
    'id,monthly_charges,age,balance,plan,district,size,partner,constant\n',
    ...Array.from({ length: count }, (_, id) => {
      const plan = ['basic', 'plus', 'pro', 'été', ''][id % 5];
      const district = [10000, 10003, 20017][id % 3];
      return `${id},${(id * 7.3) % 99},${18 + ((id * 5) % 70)},${id % 9 === 4 ? '' : (id * 271) % 2600},${plan},${district},${['large', 'medium', 'small'][id % 3]},${id % 2 === 0},1\n`;
    }),
  ].join('');

/** A row of `importedRows` as a persona. */
export const importedPersona = {
  features: {
    monthly_charges: 62.5,
    age: 40,
    balance: 100.25,
    plan: 'pro',
    district: 10003,
    size: 'small',
    partner: true,
    constant: 1,
  },
};

/** What the library predicted for rows of the fixture of `number`. */
export async function expectedNumbers(): Promise<{
  rows: (number | string | null)[][];
  predictions: number[][];
}> {
  return JSON.parse(await readFile(fixture('2.3-regression.json'), 'utf8'));
}

/** A model whose number is e, if x is at most 5, else e to the power of 1,000. */
const unboundedModel = `tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=0
objective=poisson
feature_names=x
feature_infos=[0:10]

Tree=0
num_leaves=2
num_cat=0
split_feature=0
split_gain=1
threshold=5
decision_type=2
left_child=-1
right_child=-2
leaf_value=1 1000
leaf_weight=1 1
leaf_count=1 1
internal_value=0
internal_weight=0
internal_count=2
is_linear=0
shrinkage=1


end of trees

parameters:
end of parameters

pandas_categorical:null
`;
