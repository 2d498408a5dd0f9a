// Runs the tests with Node's own runner, after a build.
//   npm test                       the quick tests: without *.slow.test.ts and slow cases, and with at most a tenth of
//                                  the runs of random tests
//   npm run test:all               everything, in full, but for *.cluster.test.ts and *.servers.test.ts (npm run
//                                  test:cluster, test:servers)
//   npm test -- --seed 7           random tests with the seed of an earlier run
//   npm test -- client csv/header  only the files whose path contains one of these
//   npm run coverage               the quick tests, and which lines of src they run, from Node 22 on; what a command
//                                  does in a process of its own is not counted
// Neighbouring files share a process, except *.alone.test.ts, which change or measure theirs, or take long in full, and
// *.slow.test.ts. Files that are chosen by their path have a process each.
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './support/root.ts';
import { inSharedProcesses } from './support/shared-processes.ts';

const { values, positionals } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    seed: { type: 'string' },
    coverage: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const seed = values.seed ?? process.env.TEST_SEED ?? String(Math.floor(Math.random() * 1_000_000));

const folder = join(root, 'dist/test');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  // Others are run by `npm run test:cluster` and `npm run test:servers`.
  .filter(file => file.endsWith('.test.js') && !/\.(?:cluster|servers)\.test\.js$/.test(file))
  .filter(file => values.all || !file.endsWith('.slow.test.js'))
  .filter(file => positionals.length === 0 || positionals.some(part => file.includes(part)))
  .map(file => relative(root, join(folder, file)))
  .sort();

if (files.length === 0) {
  process.stderr.write(`No test file has a path that contains ${positionals.join(' or ')}.\n`);
  process.exit(1);
}
// The bundle repeats the modules.
const coverage = [
  '--experimental-test-coverage',
  '--test-coverage-include=dist/src/**',
  '--test-coverage-exclude=dist/src/bundle/**',
];
spawn(
  process.execPath,
  [
    '--test',
    // Fewer collections of what tests leave behind take a few percent of their time.
    '--max-semi-space-size=64',
    ...(values.coverage ? coverage : []),
    // More than there are cores, because many tests only wait.
    `--test-concurrency=${availableParallelism() + 2}`,
    // A test that hangs fails. The slowest process takes a few minutes.
    `--test-timeout=${15 * 60_000}`,
    `--test-reporter=${join(folder, 'support/reporter.js')}`,
    ...(positionals.length === 0 ? inSharedProcesses(files) : files),
  ],
  {
    cwd: root,
    env: {
      ...process.env,
      TEST_SEED: seed,
      TEST_FULL: values.all ? '1' : '',
      // Hundreds of processes load the same modules. Coverage is not exact with a cache.
      ...(values.coverage ? {} : { NODE_COMPILE_CACHE: join(root, 'dist/.compile-cache') }),
    },
    stdio: 'inherit',
  },
).on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1;
});
