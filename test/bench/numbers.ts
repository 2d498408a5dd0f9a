// Numbers as targets compared with scikit-learn's HistGradientBoostingRegressor with its defaults, on the same rows of
// five public data sets. Needs Python with scikit-learn and pandas; PYTHON names the interpreter. Three minutes.
//   npm run bench -- numbers [WORD]: only data sets whose name contains the word

import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { isOfNumbers } from '../../src/base/contract/schemas.ts';
import { errorsOf } from '../../src/training/learn/numbers/errors.ts';
import { trainReport } from '../../src/training/train.ts';
import { bin } from '../support/rowcast.ts';

const NEEDED = `bench numbers needs Python with scikit-learn, pandas and pip, for example:
  python3 -m venv /tmp/bench && /tmp/bench/bin/pip install scikit-learn pandas
  PYTHON=/tmp/bench/bin/python npm run bench -- numbers
`;

/** The splits of each data set, as CSVs, and HGB's R² on the testing rows. The data are those of two packages. */
const SCRIPT = `
import json, os, sys, time
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.metrics import r2_score
from sklearn.model_selection import train_test_split
data, folder, only = sys.argv[1:4]
def islp(name): return pd.read_csv(f'{data}/ISLP/data/{name}.csv')
tables = {
    'diabetes': lambda: load_diabetes(as_frame=True, scaled=False).frame,
    'Boston': lambda: islp('Boston').rename(columns={'medv': 'target'}),
    'wages': lambda: islp('Wage').drop(columns='logwage').rename(columns={'wage': 'target'}),
    'bike rentals': lambda: islp('Bikeshare').drop(columns=['casual', 'registered']).rename(columns={'bikers': 'target'}),
    'diamonds': lambda: pd.read_csv(f'{data}/plotnine/data/diamonds.csv').rename(columns={'price': 'target'}),
}
for name, read in tables.items():
    if only not in name: continue
    table = read()
    for seed in range(3 if len(table) < 20000 else 1):
        train, test = train_test_split(table, test_size=0.25, random_state=seed)
        paths = [f'{folder}/{name} {seed} {part}.csv' for part in ('train', 'test')]
        train.to_csv(paths[0], index=False); test.to_csv(paths[1], index=False)
        x = table.drop(columns='target')
        for column in x.select_dtypes(exclude='number'): x[column] = x[column].astype('category')
        began = time.process_time()
        model = HistGradientBoostingRegressor(random_state=0, categorical_features='from_dtype')
        model.fit(x.loc[train.index], train['target'])
        seconds = time.process_time() - began
        r2 = r2_score(test['target'], model.predict(x.loc[test.index]))
        print(json.dumps({'name': name, 'train': paths[0], 'test': paths[1], 'r2': r2, 'seconds': seconds}), flush=True)
`;
const PACKAGES = ['islp==0.6.0', 'plotnine==0.15.9'];

interface Split {
  name: string;
  train: string;
  test: string;
  r2: number;
  seconds: number;
}

const MAX_MEAN_BEHIND = 0.01;
const MAX_BEHIND = 0.03;

const only = process.argv[3] ?? '';
const python = process.env.PYTHON ?? 'python3';
const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const ran = (args: string[]) => spawnSync(python, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
try {
  const data = join(folder, 'packages');
  const installed = ran(['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', data, ...PACKAGES]);
  const compared = installed.status === 0 ? ran(['-c', SCRIPT, data, folder, only]) : installed;
  if (compared.status !== 0) process.stderr.write(`${NEEDED}${compared.stderr ?? ''}`);
  else {
    const splits = compared.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Split);
    await compare(splits);
  }
} finally {
  await rm(folder, { recursive: true });
}

async function compare(splits: readonly Split[]): Promise<void> {
  process.stdout.write(
    '| data | splits | R² | HGB | difference | s of CPU | HGB | objectives |\n|---|---|---|---|---|---|---|---|\n',
  );
  const differences: number[] = [];
  for (const name of new Set(splits.map(split => split.name))) {
    const own = splits.filter(split => split.name === name);
    const results: Awaited<ReturnType<typeof ofRowcast>>[] = [];
    for (const split of own) results.push(await ofRowcast(split));
    const mean = (numbers: readonly number[]) =>
      numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
    const [ours, theirs] = [mean(results.map(({ r2 }) => r2)), mean(own.map(({ r2 }) => r2))];
    differences.push(ours - theirs);
    const cells = [
      name,
      own.length,
      ...[ours, theirs, ours - theirs].map(value => value.toFixed(3)),
      ...[mean(results.map(({ seconds }) => seconds)), mean(own.map(({ seconds }) => seconds))].map(value =>
        value.toFixed(1),
      ),
      [...new Set(results.map(({ objective }) => objective))].join(', '),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
  const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  const worst = Math.min(...differences);
  const reached = mean >= -MAX_MEAN_BEHIND && worst >= -MAX_BEHIND ? 'reached' : 'MISSED';
  process.stdout.write(
    `\nmean difference ${mean.toFixed(3)}, worst ${worst.toFixed(3)}; goals: -${MAX_MEAN_BEHIND} and -${MAX_BEHIND} (${reached})\n`,
  );
}

/** Trains on one file and scores the other one with the served model. */
async function ofRowcast({ train, test }: Split) {
  const home = `${train}.home`;
  const began = process.cpuUsage();
  const report = await trainReport({
    historyFile: train,
    predict: 'target',
    home,
    id: 'r',
    target: 'numbers',
  });
  const { user, system } = process.cpuUsage(began);
  if (!isOfNumbers(report)) throw new Error('the report is not one of numbers');
  const output = `${test}.scored.csv`;
  const args = [
    bin,
    'score',
    test,
    '-o',
    output,
    '--report',
    'r',
    '--home',
    home,
    '-q',
    '--exclude-features',
    'target',
  ];
  const scored = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (scored.status !== 0) throw new Error(scored.stderr);
  const rows: Record<string, string>[] = parse(await readFile(output), { columns: true });
  const { r2 } = errorsOf(
    rows.map(row => Number(row.predicted_target)),
    rows.map(row => Number(row.target)),
  );
  const objective = `${report.tech_specs.objective}${report.tech_specs.algorithm.startsWith('linear') ? ' (linear)' : ''}`;
  return { r2: r2 ?? Number.NaN, seconds: (user + system) / 1e6, objective };
}
