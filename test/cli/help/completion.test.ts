import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { completionScript } from '../../../src/cli/help/completion.ts';
import { newFolder } from '../../support/folder.ts';

const hasShell = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

/** The completions that bash offers for the last word of a line. */
function completed(line: string, cwd = '/'): string[] {
  const words = line.split(' ');
  const array = words.map(word => `'${word}'`).join(' ');
  const script = `${completionScript('bash')}
COMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _rowcast; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['--norc', '-c', script], { cwd, encoding: 'utf8' })
    .split('\n')
    .filter(word => word !== '');
}

describe('bash completion', { skip: hasShell('bash') ? false : 'bash is not installed' }, () => {
  it('completes one-word and two-word commands', () => {
    assert.deepEqual(completed('rowcast rep'), ['repair', 'reports', 'report']);
    assert.deepEqual(completed('rowcast keys a'), ['add']);
    assert.deepEqual(completed('rowcast completion '), ['bash', 'zsh', 'fish']);
  });

  it('completes only the options of the command', () => {
    assert.deepEqual(completed('rowcast score --max-r'), [
      '--max-record-bytes',
      '--max-rejects',
      '--max-requests-per-second',
      '--max-rows-per-second',
    ]);
    assert.deepEqual(completed('rowcast keys add --ex'), ['--expires']);
    assert.deepEqual(completed('rowcast score --mode'), ['--model']);
    assert.deepEqual(completed('rowcast reports --ex'), []);
    assert.deepEqual(completed('rowcast --v'), ['--version']);
  });

  it('completes choices, and files where a file is expected', async t => {
    const folder = await newFolder(t, { 'personas.csv': '' });
    assert.deepEqual(completed('rowcast score --log-format '), ['text', 'json']);
    assert.deepEqual(completed('rowcast score per', folder), ['personas.csv']);
    assert.deepEqual(completed('rowcast score -o per', folder), ['personas.csv']);
    assert.deepEqual(completed('rowcast score --report per', folder), []);
  });
});

for (const shell of ['zsh', 'fish'])
  it(`the completion of ${shell} is a valid script`, {
    skip: hasShell(shell) ? false : `${shell} is not installed`,
  }, async t => {
    const file = join(await newFolder(t), `rowcast.${shell}`);
    await writeFile(file, completionScript(shell));
    execFileSync(shell, ['-n', file]);
  });
