// Runs the tests of real model servers, after a build: `npm run test:servers`, one server at a time. A server that is
// not installed is skipped. Its environment is a folder in .servers, or in $ROWCAST_TEST_SERVERS; all of them take 7
// GB.
//   npm run test:servers -- mlflow fastapi             only these
//   npm run test:servers -- --install mlflow           installs it first, with Python 3.11 and pip
//   npm run test:servers -- --record mlflow            records its responses for the ordinary tests, too
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../support/root.ts';
import { binOf, environmentOf, sourceOf } from './support/places.ts';

const { values, positionals } = parseArgs({
  options: { install: { type: 'boolean', default: false }, record: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const folder = join(root, 'dist/test/servers');
const suffix = '.servers.test.js';
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith(suffix))
  .map(file => file.slice(0, file.indexOf('/')))
  .sort();
const chosen = names.filter(name => positionals.length === 0 || positionals.includes(name));
const unknown = positionals.filter(name => !names.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(' or ')} among ${names.join(', ')}.\n`);
  process.exit(1);
}
if (values.install) for (const name of chosen) install(name);
spawn(
  process.execPath,
  [
    '--test',
    '--test-concurrency=1',
    `--test-reporter=${join(root, 'dist/test/support/reporter.js')}`,
    ...chosen.map(name => relative(root, join(folder, name, `${name}${suffix}`))),
  ],
  { cwd: root, env: { ...process.env, RECORD_SERVERS: values.record ? '1' : '' }, stdio: 'inherit' },
).on('exit', (code, signal) => {
  process.exitCode = signal === null ? (code ?? 1) : 1;
});

function install(name: string): void {
  const commands = [
    ['python3', '-m', 'venv', environmentOf(name)],
    [join(binOf(name), 'pip'), 'install', '-r', join(sourceOf(name), 'requirements.txt')],
  ] as const;
  for (const [command, ...args] of commands)
    if (spawnSync(command, args, { stdio: 'inherit' }).status !== 0) {
      process.stderr.write(`${name} cannot be installed.\n`);
      process.exit(1);
    }
}
