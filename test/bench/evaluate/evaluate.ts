// Evaluation of 3,000,000 scored rows with 1,000,000 labels in another order, compared with polars' join and
// scikit-learn's metrics in one process of Python, in turns. PYTHON names an interpreter with both. Two minutes.
//   npm run bench -- evaluate [ROWS]

import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bin } from '../../support/rowcast.ts';

const MAKE = `
import sys, numpy as np, polars as pl
rows = int(sys.argv[1]); random = np.random.default_rng(1)
p = 1 / (1 + np.exp(-random.normal(-1, 1.2, rows))); came = random.random(rows) < p
key = pl.Series([f'C{i:08d}' for i in random.permutation(3 * rows)[:rows]])
pl.DataFrame({'customer_id': key, 'plan': random.choice(['basic', 'plus', 'pro'], rows),
  'monthly': np.round(random.gamma(2, 30, rows), 2), 'probability_no': 1 - p, 'probability_yes': p}).write_csv('scored.csv')
some = random.permutation(rows)[:rows // 3]
pl.DataFrame({'customer_id': key[some], 'churned': np.where(came[some], 'yes', 'no')}).write_csv('labels.csv')
`;
const PEER = `
import polars as pl
from sklearn.calibration import calibration_curve
from sklearn.metrics import *
scored = pl.read_csv('scored.csv', columns=['customer_id', 'probability_yes'])
both = scored.join(pl.read_csv('labels.csv'), on='customer_id')
y, p = (both['churned'] == 'yes').to_numpy(), both['probability_yes'].to_numpy()
d = p >= 0.5
calibration_curve(y, p, n_bins=10, strategy='quantile'); roc_curve(y, p); confusion_matrix(y, d)
print(roc_auc_score(y, p), log_loss(y, p), brier_score_loss(y, p), accuracy_score(y, d), precision_score(y, d), recall_score(y, d))
`;
const ARGS = 'evaluate scored.csv --labels labels.csv --key customer_id --predict churned --json -q';
const TURNS = 5;

const python = process.env.PYTHON ?? 'python3';
const cwd = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));

/** The seconds of a command. */
function time(command: string, args: readonly string[]): number {
  const began = performance.now();
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(stderr);
  return (performance.now() - began) / 1000;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

try {
  if (spawnSync(python, ['-c', 'import polars, sklearn']).status !== 0)
    console.log('skipped: PYTHON needs an interpreter with polars and scikit-learn');
  else {
    time(python, ['-c', MAKE, process.argv[3] ?? '3000000']);
    const [peer, own]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < TURNS; turn++) {
      peer.push(time(python, ['-c', PEER]));
      own.push(time(process.execPath, [bin, ...ARGS.split(' ')]));
    }
    const [theirs, ours] = [median(peer), median(own)];
    console.log(
      `polars and scikit-learn ${theirs.toFixed(2)} s, rowcast ${ours.toFixed(2)} s: ${(theirs / ours).toFixed(2)} times as fast`,
    );
  }
} finally {
  await rm(cwd, { recursive: true });
}
