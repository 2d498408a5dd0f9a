// Accuracy and time of training beside scikit-learn's HistGradientBoosting, on the same splits. Needs Python with
// scikit-learn; PYTHON names the interpreter.
//   npm run bench:models

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { encoderOf } from '../../src/service/columns.ts';
import { fit } from '../../src/service/fit.ts';
import { accuracy } from '../../src/service/measures.ts';
import { loadModel } from '../../src/service/model.ts';
import { root } from '../root.ts';

interface Table {
  name: string;
  seconds: number;
  accuracy: number;
  train: string[][];
  test: string[][];
}

const python = process.env.PYTHON ?? 'python3';
const { status, stdout, stderr } = spawnSync(python, [join(root, 'test/bench/models.py')], {
  encoding: 'utf8',
  maxBuffer: 2 ** 30,
});
if (status !== 0) {
  process.stderr.write(
    `${stderr ?? ''}bench:models needs Python with scikit-learn: pip install scikit-learn\n`,
  );
  process.exit(1);
}

process.stdout.write('| data | rowcast | HGB | points | times as long |\n|---|---|---|---|---|\n');
const byName = new Map<string, { ours: number; theirs: number; ratio: number }[]>();
for (const line of stdout.trim().split('\n')) {
  const table = JSON.parse(line) as Table; // What models.py prints.
  const begun = performance.now();
  const ours = await accuracyOf(table);
  const ratio = (performance.now() - begun) / 1000 / table.seconds;
  byName.set(table.name, [...(byName.get(table.name) ?? []), { ours, theirs: table.accuracy, ratio }]);
}
for (const [name, results] of byName) {
  const mean = (of: 'ours' | 'theirs' | 'ratio') =>
    results.reduce((sum, result) => sum + result[of], 0) / results.length;
  const [ours, theirs] = [100 * mean('ours'), 100 * mean('theirs')];
  const cells = [
    name,
    ours.toFixed(1),
    theirs.toFixed(1),
    (ours - theirs).toFixed(1),
    mean('ratio').toFixed(1),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

/** Of the served model, on rows that it has not seen. */
async function accuracyOf({ train, test }: Table): Promise<number> {
  const column = (train[0]?.length ?? 1) - 1;
  const header = Array.from({ length: column + 1 }, (_, i) => (i === column ? 'y' : `x${i}`));
  const labels = train.map(row => row[column] ?? '');
  const fitted = await fit(
    { header, column, rows: train, labels, notes: [] },
    { id: 'bench', predict: 'y', seed: 1 },
  );
  const { engine, columns, classes } = await loadModel(fitted.model);
  const encoded = columns.map(learned => {
    const encode = encoderOf(learned);
    return test.map(row => encode(row[header.indexOf(learned.name)] ?? ''));
  });
  const truth = test.map(row => classes.indexOf(row[column] ?? ''));
  return accuracy({ probabilities: engine.predict(encoded), labels: truth, classes: classes.length });
}
