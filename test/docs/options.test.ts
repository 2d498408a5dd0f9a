import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { optionsOf } from '../../src/cli/command-table/command-row.ts';
import { commands } from '../../src/cli/command-table/commands.ts';
import { root } from '../support/root.ts';

/** Options of every command, and of other tools that the pages show. */
const known = new Set([
  ...commands.flatMap(command =>
    Object.entries(optionsOf(command)).flatMap(([name, { kind, secondName }]) =>
      kind === 'boolean' ? [name, `no-${name}`] : [name, secondName ?? name],
    ),
  ),
  ...['retry', 'retry-connrefused', 'icsv', 'ijson', 'ojson', 'ojsonl', 'max-old-space-size'], // of curl, mlr and node
  ...['will-cite', 'retries', 'joblog', 'resume', 'resume-failed'], // of GNU parallel
  ...['now', 'strict', 'ignore-scripts', 'global', 'omit', 'no-audit', 'no-fund'], // of systemctl, kubernetes-validate, npm
  ...['from', 'rm', 'init', 'user', 'stop-timeout'], // of Docker
  ...['requeue', 'wait', 'no-install-recommends', 'sshlogin', 'conf', 'cli-input-json'], // of Slurm, apt-get, parallel, Spark, AWS
  ...['env-manager', 'address', 'target-type', 'positive-class-label', 'negative-class-label'], // of MLflow and DataRobot
  'deployment-config',
]);

const pages = ['README.md', ...readdirSync(join(root, 'docs')).map(name => join('docs', name))].filter(page =>
  page.endsWith('.md'),
);

describe('the options that the documentation names', () => {
  for (const page of pages)
    it(`exist, on ${page}`, () => {
      const text = readFileSync(join(root, page), 'utf8');
      const named = [...text.matchAll(/(?<![\w-])--([a-z][a-z\d-]*[a-z\d])/g)].map(([, name = '']) => name);
      assert.deepEqual(
        [...new Set(named)].filter(name => !known.has(name)),
        [],
      );
    });
});
