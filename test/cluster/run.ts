// Runs the tests of clusters, after a build: `npm run test:cluster`, one file at a time, because they start services
// and kill processes. A test whose programs are not installed is skipped, and says which.
//   npm run test:cluster -- slurm spark     only the files whose path contains one of these
//   TEST_SEED=7 npm run test:cluster        random events with the seed of an earlier run, which is printed first
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../support/root.ts';

const wanted = process.argv.slice(2);
const folder = join(root, 'dist/test/cluster');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.cluster.test.js'))
  .filter(file => wanted.length === 0 || wanted.some(part => file.includes(part)))
  .map(file => relative(root, join(folder, file)))
  .sort();
if (files.length === 0) {
  process.stderr.write(`No test of clusters has a path that contains ${wanted.join(' or ')}.\n`);
  process.exit(1);
}
const seed = process.env.TEST_SEED ?? String(Math.floor(Math.random() * 1_000_000));
const reporter = join(root, 'dist/test/support/reporter.js');
spawn(process.execPath, ['--test', '--test-concurrency=1', `--test-reporter=${reporter}`, ...files], {
  cwd: root,
  env: { ...process.env, TEST_SEED: seed },
  stdio: 'inherit',
}).on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1;
});
