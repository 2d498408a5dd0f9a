// Accuracy and training time compared with scikit-learn's HistGradientBoosting, on the same splits. Needs Python with
// scikit-learn; PYTHON names the interpreter. Ten minutes on two cores.
//   npm run bench:models [-- WORD]: only data sets whose name contains the word

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../support/root.ts';
import { ofFile, ofRows, scoredBy, type Table } from './models-ours.ts';
import { goalsReached, head, type Result, rowOf } from './models-table.ts';

const NEEDED = `bench:models needs Python with scikit-learn, for example:
  python3 -m venv /tmp/bench && /tmp/bench/bin/pip install scikit-learn
  PYTHON=/tmp/bench/bin/python npm run bench:models
`;

const only = process.argv[2] ?? '';
const folder = await mkdtemp(join(tmpdir(), 'rowcast-bench-'));
const wide = join(folder, 'wide.csv');
const python = spawn(
  process.env.PYTHON ?? 'python3',
  [join(root, 'test/bench/models/models.py'), join(root, 'fixtures/telecom-history.csv'), wide, only],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
// Without Python there is an error event, without scikit-learn an exit code.
const ended = once(python, 'exit').catch(() => [1]);
python.once('error', () => python.stdout.destroy());
python.stdin.on('error', () => {}); // The process has ended; `ended` has the reason.
const byName = new Map<string, Result[]>();
const print = (name: string | undefined): void => {
  const results = byName.get(name ?? '');
  if (name !== undefined && results !== undefined) process.stdout.write(rowOf(name, results));
};
try {
  python.stdin.write('next\n');
  let last: string | undefined;
  for await (const line of createInterface({ input: python.stdout })) {
    const table = JSON.parse(line) as Table; // The output of models.py.
    if (last === undefined) process.stdout.write(head);
    if (last !== table.name) print(last);
    last = table.name;
    const ours = table.file === undefined ? await ofRows(table) : await ofFile(table.file, table);
    const result = { ours, theirs: { ...scoredBy(table), seconds: table.seconds } };
    byName.set(table.name, [...(byName.get(table.name) ?? []), result]);
    python.stdin.write('next\n');
  }
  print(last);
  const [code] = await ended;
  if (code !== 0) process.stderr.write(last === undefined ? NEEDED : `models.py ended with ${code}\n`);
  else if (last === undefined) process.stderr.write(`no data set has "${only}" in its name\n`);
  else process.stdout.write(`\n${goalsReached(byName)}`);
  if (code !== 0 || last === undefined) process.exitCode = 1;
} finally {
  python.kill();
  await rm(folder, { recursive: true });
}
