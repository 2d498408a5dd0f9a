import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { commands } from '../../../src/cli/command-table/commands.ts';
import { manPage } from '../../../src/cli/help/man-page.ts';
import { root } from '../../support/root.ts';

const page = join(root, 'man/rowcast.1');
const hasProgram = (name: string): boolean => spawnSync(name, ['--version']).error === undefined;

describe('the man page', () => {
  it('describes every command and has no unescaped request', () => {
    const text = manPage();
    for (const { name } of commands)
      assert.match(text, new RegExp(`^\\.SS rowcast ${name.replaceAll('-', '\\\\-')}\\b`, 'm'), name);
    const requests = new Set(text.split('\n').flatMap(line => /^[.'](\S+)/.exec(line)?.[1] ?? []));
    assert.deepEqual(
      [...requests].filter(request => !/^(\\"|B|I|PP|RE|RI|RS|SH|SS|TH|TP|fi|nf)$/.test(request)),
      [],
    );
  });

  it('can be displayed by man', { skip: hasProgram('man') ? false : 'man is not installed' }, t => {
    const { status, stdout, stderr } = spawnSync('man', ['--warnings', '-l', page], {
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: '100', LC_ALL: 'C.UTF-8', MAN_KEEP_FORMATTING: '', PAGER: 'cat' },
    });
    if (status !== 0 || stdout.length < 1000) return t.skip(`man does not work here: ${stderr}`);
    assert.equal(stderr, '');
    assert.match(stdout, /rowcast score \[INPUT \.\.\.\] \[options\]/);
  });

  it('passes the checks of mandoc', {
    skip: hasProgram('mandoc') ? false : 'mandoc is not installed',
  }, () => {
    execFileSync('mandoc', ['-T', 'lint', '-W', 'error', page]);
  });
});
